# shellcheck shell=bash disable=SC2034 # ./dev reads this file: it uses kernel_checks
# SPDX-License-Identifier: Apache-2.0
# How each kernel file must compile alone: "file standard target macros". A file with kernels needs a row,
# and a row for each shape and back-end it has. What needs more than OpenCL C 1.2 says so here. For AMD clang
# makes code too; a target ocloc:DEVICE is Intel's compiler for that GPU, where it is installed.
simd='-DCLP_SIMD=1 -DCLP_SUBGROUPS=1 -DCLP_DEVICE_FENCE=0 -DCLP_WG_SIZE=1 -DCLP_HINT_WG_SIZE=1 -DCLP_REQD_SUBGROUP=0'
local='-DCLP_SIMD=0 -DCLP_SUBGROUPS=1 -DCLP_DEVICE_FENCE=0 -DCLP_WG_SIZE=48 -DCLP_HINT_WG_SIZE=0 -DCLP_REQD_SUBGROUP=0'
fenced='-DCLP_SIMD=0 -DCLP_SUBGROUPS=1 -DCLP_DEVICE_FENCE=1 -DCLP_WG_SIZE=64 -DCLP_HINT_WG_SIZE=1 -DCLP_REQD_SUBGROUP=0'
nvidia='-DCLP_SIMD=0 -DCLP_SUBGROUPS=2 -DCLP_DEVICE_FENCE=2 -DCLP_WG_SIZE=256 -DCLP_HINT_WG_SIZE=1 -DCLP_REQD_SUBGROUP=0'
khr='-DCLP_SIMD=0 -DCLP_SUBGROUPS=3 -DCLP_DEVICE_FENCE=0 -DCLP_WG_SIZE=64 -DCLP_HINT_WG_SIZE=1 -DCLP_REQD_SUBGROUP=0'
khr_demand='-DCLP_SIMD=0 -DCLP_SUBGROUPS=3 -DCLP_DEVICE_FENCE=1 -DCLP_WG_SIZE=64 -DCLP_HINT_WG_SIZE=1 -DCLP_REQD_SUBGROUP=32'
# clang declares Intel's functions in the header only, not among its own declarations.
intel='-cl-no-stdinc -DCLP_SIMD=0 -DCLP_SUBGROUPS=4 -DCLP_DEVICE_FENCE=0 -DCLP_WG_SIZE=64 -DCLP_HINT_WG_SIZE=0 -DCLP_REQD_SUBGROUP=32'
amd='-DCLP_SIMD=0 -DCLP_SUBGROUPS=5 -DCLP_DEVICE_FENCE=1 -DCLP_WG_SIZE=256 -DCLP_HINT_WG_SIZE=1 -DCLP_REQD_SUBGROUP=0'
reduce='-DCLP_PAIRED=0 -DCLP_TRANSFORM=0 -DCLP_MEAN=0 -DCLP_BATCH=16 -DCLP_NODE_BATCH=16 -DCLP_NODE_ITEMS=32 -DCLP_STEP_TILES=2'
sum_f32='-DCLP_KIND=0 -DCLP_EXACT=0 -DCLP_ORDERED=0 -DCLP_T_NATIVE=1 -DCLP_LANE=float -DCLP_T=float -DCLP_B=float -DCLP_A=float -DCLP_A_BITS=32 -DCLP_R=float -DCLP_V=4 -DCLP_ITEMS=32'
sum_f32+=' -DCLP_NODE_V=4 -DCLP_WIDEN=clp_same'
sum_f32+=' -DCLP_LOAD=clp_same -DCLP_STORE=clp_canonical_float -DCLP_OP=clp_sum'
sum_i32='-DCLP_KIND=0 -DCLP_EXACT=1 -DCLP_ORDERED=0 -DCLP_T_NATIVE=1 -DCLP_LANE=ulong -DCLP_T=int -DCLP_B=ulong -DCLP_A=ulong -DCLP_A_BITS=64 -DCLP_R=ulong -DCLP_V=4 -DCLP_ITEMS=32'
sum_i32+=' -DCLP_NODE_V=2 -DCLP_WIDEN=clp_same'
sum_i32+=' -DCLP_LOAD=clp_wide_int -DCLP_STORE=clp_same -DCLP_OP=clp_sum'
fast_sum_f32='-DCLP_KIND=0 -DCLP_T=float -DCLP_A=float -DCLP_A_BITS=32 -DCLP_LOAD=clp_same -DCLP_OP=clp_sum'
fast_sum_f32+=' -DCLP_JOIN=clp_join_sum_float -DCLP_V=4 -DCLP_BATCH=8 -DCLP_ATOMICS64=0'
fast_max_f32='-DCLP_KIND=0 -DCLP_T=float -DCLP_A=int -DCLP_A_BITS=32 -DCLP_LOAD=clp_key_float -DCLP_OP=clp_max'
fast_max_f32+=' -DCLP_JOIN=clp_join_max_float -DCLP_V=4 -DCLP_BATCH=8 -DCLP_ATOMICS64=0'
fast_min_u64='-DCLP_KIND=0 -DCLP_T=ulong -DCLP_A=ulong -DCLP_A_BITS=64 -DCLP_LOAD=clp_same -DCLP_OP=clp_min'
fast_min_u64+=' -DCLP_JOIN=clp_join_min_ulong -DCLP_V=2 -DCLP_BATCH=8 -DCLP_ATOMICS64=1'
max_f64='-DCLP_KIND=0 -DCLP_EXACT=1 -DCLP_ORDERED=0 -DCLP_T_NATIVE=1 -DCLP_LANE=long -DCLP_T=double -DCLP_B=long -DCLP_A=long -DCLP_A_BITS=64 -DCLP_R=double -DCLP_V=2 -DCLP_ITEMS=32'
max_f64+=' -DCLP_NODE_V=2 -DCLP_WIDEN=clp_same'
max_f64+=' -DCLP_LOAD=clp_key_double -DCLP_STORE=clp_unkey_double -DCLP_OP=clp_max'
scan='-DCLP_HEADS=0 -DCLP_ANY=0 -DCLP_EXCLUSIVE=0 -DCLP_STEP=8u -DCLP_V=4 -DCLP_VR=4'
scan_f32="$scan -DCLP_T=float -DCLP_A=float -DCLP_A_BITS=32 -DCLP_R=float -DCLP_LOAD=clp_same"
scan_f32+=' -DCLP_STORE=clp_canonical_float -DCLP_OP=clp_sum'
scan_u8='-DCLP_HEADS=0 -DCLP_ANY=0 -DCLP_EXCLUSIVE=1 -DCLP_STEP=1u -DCLP_V=16 -DCLP_VR=2 -DCLP_T=uchar -DCLP_A=ulong -DCLP_A_BITS=64 -DCLP_R=ulong'
scan_u8+=' -DCLP_LOAD=convert_ulong -DCLP_STORE=clp_same -DCLP_OP=clp_sum'
scan_f16='-DCLP_HEADS=0 -DCLP_ANY=0 -DCLP_EXCLUSIVE=1 -DCLP_STEP=2u -DCLP_V=8 -DCLP_VR=8 -DCLP_T=ushort -DCLP_A=int -DCLP_A_BITS=32 -DCLP_R=ushort'
scan_f16+=' -DCLP_LOAD=clp_int_key_half -DCLP_STORE=clp_unkey_16 -DCLP_OP=clp_max'
scan_user='-DCLP_HEADS=0 -DCLP_USER_EXAMPLE -DCLP_ANY=1 -DCLP_EXCLUSIVE=1 -DCLP_STEP=1u -DCLP_V=1 -DCLP_VR=1 -DCLP_T=clp_user_type'
scan_user+=' -DCLP_A=clp_any -DCLP_A_BITS=64 -DCLP_R=clp_any -DCLP_LOAD=clp_same -DCLP_STORE=clp_same -DCLP_OP=clp_user_op'
scan_flags="${scan_f32/HEADS=0/HEADS=1} -DCLP_H=uchar -DCLP_HEADED_SIZE=8"
scan_keys="${scan_f32/HEADS=0/HEADS=2} -DCLP_H=ushort -DCLP_KEY=clp_place_half -DCLP_HEADED_SIZE=8"
scan_keys="${scan_keys/EXCLUSIVE=0/EXCLUSIVE=1}"
scan_user_keys="${scan_user/HEADS=0/HEADS=2} -DCLP_H=ulong -DCLP_KEY=clp_same -DCLP_HEADED_SIZE=16"
pass_u8="${scan_u8/STEP=1u/STEP=8u} -DCLP_HELD=1"
khr_256="${khr/WG_SIZE=64/WG_SIZE=256}"
argmin_f16='-DCLP_KIND=1 -DCLP_EXACT=1 -DCLP_ORDERED=0 -DCLP_T_NATIVE=1 -DCLP_LANE=int -DCLP_T=ushort -DCLP_B=clp_near'
argmin_f16+=' -DCLP_A=clp_pair -DCLP_R=ulong -DCLP_V=8 -DCLP_ITEMS=16 -DCLP_NODE_V=2 -DCLP_WIDEN=clp_same'
argmin_f16+=' -DCLP_LOAD=clp_place_half -DCLP_STORE=clp_same -DCLP_BETTER=clp_less'
argmin_f16+=' -DCLP_NEAR_KEY=int -DCLP_NEAR_INDEX=uint -DCLP_NEAR_BITS=32'
compensated='-DCLP_KIND=2 -DCLP_EXACT=0 -DCLP_ORDERED=0 -DCLP_T_NATIVE=1 -DCLP_LANE=float -DCLP_PART=float -DCLP_PART_BITS=32'
compensated+=' -DCLP_T=float -DCLP_B=clp_pair -DCLP_A=clp_pair -DCLP_R=float -DCLP_V=4 -DCLP_ITEMS=32'
compensated+=' -DCLP_NODE_V=2 -DCLP_WIDEN=clp_same -DCLP_LOAD=clp_same -DCLP_STORE=clp_canonical_float'
user='-DCLP_USER_EXAMPLE -DCLP_KIND=3 -DCLP_EXACT=0 -DCLP_T_NATIVE=0 -DCLP_LANE=clp_any -DCLP_T=clp_user_type -DCLP_B=clp_any'
user+=' -DCLP_A=clp_any -DCLP_R=clp_any -DCLP_V=2 -DCLP_ITEMS=32 -DCLP_NODE_V=2 -DCLP_WIDEN=clp_same'
user+=' -DCLP_LOAD=clp_same -DCLP_STORE=clp_same -DCLP_OP=clp_user_op -DCLP_ORDERED=0'
ordered="${user/ORDERED=0/ORDERED=1}"
one_tile="${reduce/STEP_TILES=2/STEP_TILES=1}"
sum_i8='-DCLP_KIND=0 -DCLP_EXACT=1 -DCLP_ORDERED=0 -DCLP_T_NATIVE=1 -DCLP_LANE=clp_bytes -DCLP_T=char'
sum_i8+=' -DCLP_B=clp_bytes -DCLP_A=ulong -DCLP_A_BITS=64 -DCLP_R=ulong -DCLP_V=16 -DCLP_ITEMS=8 -DCLP_NODE_V=2'
sum_i8+=' -DCLP_WIDEN=clp_bytes_ulong -DCLP_LOAD=clp_bytes_char -DCLP_STORE=clp_same -DCLP_OP=clp_sum'
sum_i8+=' -DCLP_NEXT=clp_bytes_add -DCLP_FROM=clp_bytes_from'
select='-DCLP_T=float -DCLP_W=ushort -DCLP_SEE=clp_same -DCLP_SEE_SECOND=clp_same -DCLP_PAIRED=1 -DCLP_ITEMS=16u -DCLP_OUT_BITS=32'
select_flags="$select -DCLP_BY=2 -DCLP_OUT=float -DCLP_INDICES=0 -DCLP_OTHERS=0 -DCLP_C=ulong"
partition_indices="$select -DCLP_BY=2 -DCLP_OUT=uint -DCLP_INDICES=1 -DCLP_OTHERS=1 -DCLP_C=uint"
one_pass='-DCLP_V=4 -DCLP_SECOND_BITS=16'
unique_by_key="$select -DCLP_BY=3 -DCLP_OUT=float -DCLP_INDICES=0 -DCLP_OTHERS=2 -DCLP_C=ulong"
lengths="$select -DCLP_BY=3 -DCLP_OUT=float -DCLP_INDICES=0 -DCLP_OTHERS=3 -DCLP_C=ulong"
runs_f32='-DCLP_T=float -DCLP_V=4 -DCLP_KEY=clp_place_float -DCLP_TOTALS=0 -DCLP_N=uint -DCLP_C=ulong'
runs_u8='-DCLP_T=uchar -DCLP_V=16 -DCLP_KEY=clp_same -DCLP_TOTALS=0 -DCLP_N=ulong -DCLP_C=uint'
runs_totals='-DCLP_T=ushort -DCLP_V=8 -DCLP_KEY=clp_place_bfloat -DCLP_TOTALS=1 -DCLP_N=float -DCLP_C=ulong'
histogram_f32='-DCLP_T=float -DCLP_KEY=int -DCLP_KEY_BITS=32 -DCLP_PLACE=clp_place_float -DCLP_FORM=3 -DCLP_C=uint -DCLP_WIDE=0 -DCLP_WEIGHT=0 -DCLP_ATOMICS64=0'
histogram_f64='-DCLP_T=double -DCLP_KEY=long -DCLP_KEY_BITS=64 -DCLP_PLACE=clp_place_double -DCLP_FORM=4 -DCLP_C=ulong -DCLP_WIDE=1 -DCLP_WEIGHT=2 -DCLP_ATOMICS64=0'
histogram_f16='-DCLP_T=ushort -DCLP_KEY=int -DCLP_KEY_BITS=32 -DCLP_PLACE=clp_place_half -DCLP_FORM=1 -DCLP_C=uint -DCLP_WIDE=0 -DCLP_WEIGHT=1 -DCLP_ATOMICS64=0'
histogram_u8='-DCLP_T=uchar -DCLP_KEY=int -DCLP_KEY_BITS=32 -DCLP_PLACE=convert_int -DCLP_FORM=0 -DCLP_C=ulong -DCLP_WIDE=1 -DCLP_WEIGHT=0 -DCLP_ATOMICS64=1'
kernel_checks=(
    "histogram.cl CL1.2 spir64 $simd $histogram_f32"
    "histogram.cl CL1.2 spir64 $simd $histogram_f64"
    "histogram.cl CL1.2 spir64 $local $histogram_f64"
    "histogram.cl CL1.2 spir64 $local $histogram_f16"
    "histogram.cl CL1.2 nvptx64 $nvidia $histogram_f32"
    "histogram.cl CL2.0 amdgcn-amd-amdhsa -mcpu=gfx90a $amd $histogram_f32"
    "histogram_bytes.cl CL1.2 spir64 $simd $histogram_u8"
    "histogram_bytes.cl CL1.2 spir64 $local $histogram_u8"
    "histogram_bytes.cl CL1.2 nvptx64 $nvidia ${histogram_u8/ATOMICS64=1/ATOMICS64=0}"
    "histogram_bytes.cl CL2.0 amdgcn-amd-amdhsa -mcpu=gfx90a $amd $histogram_u8"
    "runs.cl CL1.2 spir64 $simd $runs_f32"
    "runs.cl CL1.2 spir64 $simd $runs_totals"
    "runs.cl CL1.2 spir64 $local $runs_u8"
    "runs.cl CL1.2 nvptx64 $nvidia $runs_f32"
    "runs.cl CL2.0 amdgcn-amd-amdhsa -mcpu=gfx90a $amd $runs_totals"
    "select.cl CL1.2 spir64 $simd $select_flags"
    "select.cl CL1.2 spir64 $simd $partition_indices"
    "select.cl CL1.2 spir64 $simd $unique_by_key"
    "select.cl CL1.2 spir64 $local $partition_indices"
    "select.cl CL1.2 spir64 $local $unique_by_key"
    "select.cl CL1.2 nvptx64 $nvidia $select_flags"
    "select.cl CL2.0 amdgcn-amd-amdhsa -mcpu=gfx90a $amd $unique_by_key"
    "select_pass.cl CL1.2 nvptx64 $nvidia $select_flags $one_pass"
    "select_pass.cl CL2.0 spir64 $khr_256 $unique_by_key $one_pass"
    "select_pass.cl CL1.2 nvptx64 $nvidia $lengths $one_pass"
    "scan.cl CL1.2 spir64 $simd $scan_f32"
    "scan.cl CL1.2 spir64 $simd $scan_f16"
    "scan.cl CL1.2 spir64 $local $scan_u8"
    "scan.cl CL1.2 spir64 $simd $scan_user"
    "scan.cl CL1.2 spir64 $local $scan_user"
    "scan.cl CL1.2 nvptx64 $nvidia $scan_f32"
    "scan.cl CL2.0 spir64 $khr $scan_f16"
    "scan.cl CL2.0 spir64 $khr_256 $scan_f32"
    "scan.cl CL2.0 amdgcn-amd-amdhsa -mcpu=gfx90a $amd $scan_f32"
    "scan_segments.cl CL1.2 spir64 $simd $scan_f32"
    "scan_segments.cl CL1.2 spir64 $simd $scan_user"
    "scan_segments.cl CL1.2 spir64 $local $scan_u8"
    "scan_segments.cl CL1.2 spir64 $local $scan_user"
    "scan_segments.cl CL1.2 nvptx64 $nvidia $scan_f32"
    "scan_segments.cl CL2.0 spir64 $khr_256 $scan_f32"
    "scan_segments.cl CL2.0 amdgcn-amd-amdhsa -mcpu=gfx90a $amd $scan_f32"
    "scan.cl CL1.2 spir64 $simd $scan_flags"
    "scan.cl CL1.2 spir64 $simd $scan_keys"
    "scan.cl CL1.2 spir64 $simd $scan_user_keys"
    "scan.cl CL1.2 spir64 $local ${scan_flags/CLP_V=4 -DCLP_VR=4/CLP_V=1 -DCLP_VR=1}"
    "scan.cl CL1.2 spir64 $local $scan_user_keys"
    "scan_block.cl CL1.2 spir64 $simd $scan_f32"
    "scan_block.cl CL1.2 spir64 $simd $scan_user"
    "scan_block.cl CL1.2 spir64 $local $scan_u8"
    "scan_block.cl CL1.2 spir64 $local $scan_user"
    "scan_block.cl CL2.0 spir64 $fenced $scan_f16"
    "scan_pass.cl CL1.2 spir64 $local $pass_u8"
    "scan_pass_simd.cl CL1.2 spir64 $simd $scan_f32"
    "scan_pass_simd.cl CL1.2 spir64 $simd $scan_u8"
    "scan_pass_simd.cl CL1.2 spir64 $simd $scan_keys"
    "scan_pass.cl CL1.2 nvptx64 $nvidia $scan_f32 -DCLP_HELD=2"
    "scan_pass.cl CL2.0 spir64 $khr_256 $scan_f32 -DCLP_HELD=1"
    "reduce.cl CL1.2 spir64 $simd $reduce $sum_f32"
    "reduce.cl CL1.2 spir64 $simd $reduce $max_f64"
    "reduce.cl CL1.2 spir64 $local $reduce $sum_i32"
    "reduce.cl CL3.0 spir64 $fenced $reduce $sum_f32"
    "reduce.cl CL1.2 nvptx64 $nvidia $reduce $sum_f32"
    "reduce.cl CL1.2 nvptx64 $nvidia $reduce $max_f64"
    "reduce.cl CL2.0 spir64 $khr $reduce $sum_f32"
    "reduce.cl CL3.0 spir64 $khr_demand $reduce $max_f64"
    "reduce.cl CL1.2 spir64 $intel $reduce $sum_f32"
    "reduce.cl CL2.0 amdgcn-amd-amdhsa -mcpu=gfx90a $amd $reduce $sum_f32"
    "reduce.cl CL2.0 amdgcn-amd-amdhsa -mcpu=gfx1030 $amd $reduce $max_f64"
    "reduce.cl CL3.0 ocloc:skl $khr_demand $reduce $sum_f32"
    "reduce.cl CL3.0 ocloc:dg2 $khr_demand $reduce $sum_i32"
    "reduce_fast.cl CL1.2 spir64 $simd $fast_sum_f32"
    "reduce_fast.cl CL1.2 spir64 $simd $fast_min_u64"
    "reduce_fast.cl CL1.2 spir64 $local $fast_max_f32"
    "reduce_fast.cl CL1.2 nvptx64 $nvidia $fast_sum_f32"
    "reduce_fast.cl CL1.2 nvptx64 $nvidia $fast_max_f32"
    "reduce_fast.cl CL2.0 spir64 $khr $fast_max_f32"
    "reduce_fast.cl CL1.2 spir64 $intel $fast_sum_f32"
    "reduce_fast.cl CL2.0 amdgcn-amd-amdhsa -mcpu=gfx90a $amd $fast_min_u64"
    "reduce_fast.cl CL3.0 ocloc:dg2 $khr_demand $fast_sum_f32"
    "reduce.cl CL1.2 spir64 $local $reduce $sum_i8"
    "reduce.cl CL1.2 nvptx64 $nvidia $reduce $sum_i8"
    "reduce.cl CL1.2 spir64 $simd $reduce $argmin_f16"
    "reduce.cl CL1.2 spir64 $local $reduce $argmin_f16"
    "reduce.cl CL1.2 nvptx64 $nvidia $reduce $argmin_f16"
    "reduce.cl CL1.2 spir64 $simd $reduce $compensated"
    "reduce.cl CL1.2 nvptx64 $nvidia $reduce $compensated"
    "reduce.cl CL2.0 amdgcn-amd-amdhsa -mcpu=gfx90a $amd $reduce $compensated"
    "reduce.cl CL1.2 spir64 $simd $reduce $user"
    "reduce.cl CL1.2 spir64 $local $reduce $user"
    "reduce.cl CL1.2 spir64 $simd $reduce $ordered"
    "reduce.cl CL1.2 spir64 $local $one_tile $ordered"
    "reduce_segments.cl CL1.2 spir64 $simd $reduce $sum_f32"
    "reduce_segments.cl CL1.2 spir64 $local $reduce $argmin_f16"
    "reduce_segments.cl CL1.2 nvptx64 $nvidia $reduce $compensated"
    "reduce_segments.cl CL2.0 amdgcn-amd-amdhsa -mcpu=gfx1030 $amd $reduce $sum_f32"
    "reduce_segments.cl CL1.2 spir64 $simd $reduce $ordered"
    "reduce_segments.cl CL1.2 spir64 $local $one_tile $ordered"
    "selftest.cl CL1.2 nvptx64 ${nvidia/HINT_WG_SIZE=1/HINT_WG_SIZE=0}"
    "selftest.cl CL2.0 spir64 ${khr/HINT_WG_SIZE=1/HINT_WG_SIZE=0}"
    "selftest.cl CL1.2 spir64 $intel"
    "selftest.cl CL2.0 amdgcn-amd-amdhsa -mcpu=gfx90a ${amd/HINT_WG_SIZE=1/HINT_WG_SIZE=0}"
    "selftest.cl CL3.0 ocloc:dg2 ${khr_demand/HINT_WG_SIZE=1/HINT_WG_SIZE=0}"
)

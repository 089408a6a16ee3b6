/* SPDX-License-Identifier: Apache-2.0 */
#include "golden.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

/* pattern, case, type, result; digests of the classes small, denormals, large */
static const struct golden_row {
    const char *pattern, *name;
    clp_type type, result;
    uint64_t digests[CHECK_CLASS_COUNT];
} rows[] = {
    /* clang-format off */
    {"reduce", "sum", CLP_I8, CLP_I64, {0x79aa16aaea2a788d, 0x0000000000000000, 0x3fe33ea9911a42b5}},
    {"reduce", "max", CLP_I8, CLP_I8, {0xdd5a4c41717d78f9, 0x0000000000000000, 0xe177c8aba66178ef}},
    {"reduce", "sum", CLP_U8, CLP_U64, {0x3736b3b42ffb4ac3, 0x0000000000000000, 0x1ff4b586c5faef6c}},
    {"reduce", "sum", CLP_U8, CLP_U32, {0xbb13d75f9a3a2724, 0x0000000000000000, 0xab7f1a5798c184ea}},
    {"reduce", "max", CLP_U8, CLP_U8, {0x4408a5e88132ad55, 0x0000000000000000, 0x7f78e4bda3addf93}},
    {"reduce", "argmax", CLP_U8, CLP_U64, {0x2a34dd74cbdf127b, 0x0000000000000000, 0x47aa75e911f81a97}},
    {"reduce", "sum", CLP_I16, CLP_I64, {0x9e012328ffd03e08, 0x0000000000000000, 0x54ac785da9828a05}},
    {"reduce", "max", CLP_I16, CLP_I16, {0x5b282dbfd6a0a3ab, 0x0000000000000000, 0x32a49f69f9dcbfa0}},
    {"reduce", "sum", CLP_U16, CLP_U64, {0x5838edd4d254af23, 0x0000000000000000, 0xbd07325d7ade48c8}},
    {"reduce", "max", CLP_U16, CLP_U16, {0x58f3ba2f96ec90bc, 0x0000000000000000, 0x85d136adb773c6c9}},
    {"reduce", "sum", CLP_I32, CLP_I64, {0xd318bb17f2bc3df5, 0x0000000000000000, 0x61acf5ac13ef1902}},
    {"reduce", "sum", CLP_I32, CLP_I32, {0x5605020b7af8211b, 0x0000000000000000, 0x1a2adbb195a3989e}},
    {"reduce", "min", CLP_I32, CLP_I32, {0xef5cdc5989457e9c, 0x0000000000000000, 0x1ec9df1ae0ff6403}},
    {"reduce", "max", CLP_I32, CLP_I32, {0xfa8daede22925606, 0x0000000000000000, 0xf4faf31cd04fd305}},
    {"reduce", "argmin", CLP_I32, CLP_U64, {0x040b2587b9a2b4e1, 0x0000000000000000, 0x5d6085835f0f1c16}},
    {"reduce", "argmax", CLP_I32, CLP_U64, {0xe90a5bfb0e0427be, 0x0000000000000000, 0x580a524a6d7d245a}},
    {"reduce", "mean", CLP_I32, CLP_F64, {0xcdef4522401e6652, 0x0000000000000000, 0x2d87ec2a7002b3b2}},
    {"reduce", "sum_fast", CLP_I32, CLP_I32, {0x5605020b7af8211b, 0x0000000000000000, 0x1a2adbb195a3989e}},
    {"reduce", "max_fast", CLP_I32, CLP_I32, {0xfa8daede22925606, 0x0000000000000000, 0xf4faf31cd04fd305}},
    {"reduce", "sum_rows", CLP_I32, CLP_I64, {0x367be3482739c581, 0x0000000000000000, 0xc966819342c00d09}},
    {"reduce", "max_segments_mixed", CLP_I32, CLP_I32, {0x2e819878652e7d04, 0x0000000000000000, 0x971851024538559a}},
    {"reduce", "sum", CLP_U32, CLP_U64, {0xfac3754ae00d7684, 0x0000000000000000, 0x0bc0ba4a44342eef}},
    {"reduce", "sum", CLP_U32, CLP_U32, {0x895b0c952614f85d, 0x0000000000000000, 0x1a2adbb195a3989e}},
    {"reduce", "min", CLP_U32, CLP_U32, {0x57b6d5d8f24155dc, 0x0000000000000000, 0xcf25d04d88419bb1}},
    {"reduce", "max", CLP_U32, CLP_U32, {0x1bd621250318f4ab, 0x0000000000000000, 0x916ebfdc3b9b0b2f}},
    {"reduce", "xor", CLP_U32, CLP_U32, {0xb35629bfb54e10f4, 0x0000000000000000, 0xc5b77b23fcf0c2c5}},
    {"reduce", "min_fast", CLP_U32, CLP_U32, {0x57b6d5d8f24155dc, 0x0000000000000000, 0xcf25d04d88419bb1}},
    {"reduce", "sum", CLP_I64, CLP_I64, {0xe32a6c60f250cb6d, 0x0000000000000000, 0xb5deda4282e15e2a}},
    {"reduce", "max", CLP_I64, CLP_I64, {0xda91947b66e3734e, 0x0000000000000000, 0x8c20a2c022b09a7d}},
    {"reduce", "argmin", CLP_I64, CLP_U64, {0xdd4e8a688b64b15d, 0x0000000000000000, 0xbfc939390b48ec6c}},
    {"reduce", "sum", CLP_U64, CLP_U64, {0xbd8ece8a2744e291, 0x0000000000000000, 0xb5deda4282e15e2a}},
    {"reduce", "max", CLP_U64, CLP_U64, {0xf7ed908890b0727e, 0x0000000000000000, 0xf6a078c8b3c8d603}},
    {"reduce", "sum_fast", CLP_U64, CLP_U64, {0xbd8ece8a2744e291, 0x0000000000000000, 0xb5deda4282e15e2a}},
    {"reduce", "sum", CLP_F16, CLP_F32, {0xaba88078060fac98, 0xe38ef9f5b3374309, 0xb03aba6913b66e0f}},
    {"reduce", "max", CLP_F16, CLP_F16, {0xe882c5389fbe448e, 0xf1c0d85f37720375, 0xa84b0695be911f9e}},
    {"reduce", "argmax", CLP_F16, CLP_U64, {0x8fd7f73529100f27, 0x8040154a8e1776dd, 0xd6bc7cdc60bf2315}},
    {"reduce", "mean", CLP_F16, CLP_F32, {0x8c30bc95debc23e0, 0x1b49ef81b7f77129, 0x6e79852b317d6fb2}},
    {"reduce", "sum_rows", CLP_F16, CLP_F32, {0xc2bdd2bd6cccb2e0, 0x35b2a133d874b7c8, 0x60b792fab033011e}},
    {"reduce", "sum", CLP_BF16, CLP_F32, {0xce3315974611bc12, 0x8abe3abe5329ba5f, 0x4b72ec1b44b5f72c}},
    {"reduce", "max", CLP_BF16, CLP_BF16, {0x2a607ea246f2301a, 0xb7b98458ebbdccc6, 0xfb9970be05e545fa}},
    {"reduce", "argmax_rows", CLP_BF16, CLP_U32, {0xaf790b1e7339f723, 0xa3453ef2afb9c1dd, 0x4d6babb75f1341d5}},
    {"reduce", "sum", CLP_F32, CLP_F32, {0x562518712b396573, 0x31f52e58ec63b4ca, 0x4b7521301fa4846f}},
    {"reduce", "min", CLP_F32, CLP_F32, {0xa72ab163792abb1a, 0x7203cfe1ca4f69e3, 0xc733c56137bd7631}},
    {"reduce", "max", CLP_F32, CLP_F32, {0x4d84821848013f5a, 0x94b0961091da95b9, 0x20cce4822daaf747}},
    {"reduce", "norm2", CLP_F32, CLP_F32, {0x1829193dfb1b58c4, 0xd2c15e19901d658e, 0x5e38284c53efe664}},
    {"reduce", "all", CLP_F32, CLP_U8, {0x9980000cb9beb3cb, 0x1f9894081e980947, 0x114f5b7aa1335932}},
    {"reduce", "argmin", CLP_F32, CLP_U64, {0xbdcf4f274b9c9102, 0x9f6582fc61770e1f, 0xcce1a9f5ade5766c}},
    {"reduce", "argmax", CLP_F32, CLP_U64, {0x307e294e9163519b, 0x6e3427b0a828fa74, 0x80ecb520ea7f0399}},
    {"reduce", "argmax", CLP_F32, CLP_U32, {0x2af2f6ab4c19f116, 0xa8a742e2930b58a5, 0x011cd44eddf66cf8}},
    {"reduce", "mean", CLP_F32, CLP_F32, {0xd93826016a932982, 0x8ebd2a854feb02d7, 0xe10ea99aa8971588}},
    {"reduce", "sum_compensated", CLP_F32, CLP_F32, {0x5cb4c06ea2b207cc, 0xe0f12df4c42288d2, 0x5ee21e81af42f32e}},
    {"reduce", "norm2_compensated", CLP_F32, CLP_F32, {0x88962cd5855e185e, 0xd2c15e19901d658e, 0x4a8adbd0cd1fbde6}},
    {"reduce", "sum_wide", CLP_F32, CLP_F32, {0x5cb4c06ea2b207cc, 0xe0f12df4c42288d2, 0x5ee21e81af42f32e}},
    {"reduce", "sum_wide", CLP_F32, CLP_F64, {0x582979f2e3ff8226, 0x5667c75259f11f30, 0xc15f164ce2c7149e}},
    {"reduce", "max_fast", CLP_F32, CLP_F32, {0x4d84821848013f5a, 0x94b0961091da95b9, 0x20cce4822daaf747}},
    {"reduce", "sum_rows", CLP_F32, CLP_F32, {0xdc30fe3e00575b00, 0xa5df37e402e5ac3c, 0x1b90e89c31cef75c}},
    {"reduce", "max_rows", CLP_F32, CLP_F32, {0x48a7482cfaa8d2bf, 0x0c42115aa1f1639a, 0x69f5dd3d986fb4b1}},
    {"reduce", "argmax_rows", CLP_F32, CLP_U32, {0xbb4bf1f99c766c58, 0xf14a21dc3b0bd69e, 0x57e8d1de34760367}},
    {"reduce", "sum_segments_one", CLP_F32, CLP_F32, {0x562518712b396573, 0x31f52e58ec63b4ca, 0x4b7521301fa4846f}},
    {"reduce", "sum_segments_100", CLP_F32, CLP_F32, {0x0b470b208edc2bfa, 0xcacb4dbc2c245f25, 0x4ec057304bc17bfd}},
    {"reduce", "sum_segments_mixed", CLP_F32, CLP_F32, {0x9e335bc1b673d04b, 0x962100b05167a89e, 0x1a8ca3ee7089ffa9}},
    {"reduce", "argmax_segments_mixed", CLP_F32, CLP_U64, {0x80ff6abc63784f70, 0x1d334c9b7908c3af, 0x554a61e8d6ccd6e9}},
    {"reduce", "sum", CLP_F64, CLP_F64, {0xd1627a493222ff14, 0xb7225194e97fa2f6, 0xadff68c77034e96b}},
    {"reduce", "min", CLP_F64, CLP_F64, {0x0af2089b8cdb184d, 0xa978ebd7aa2937de, 0x52a861ebba8fd8f9}},
    {"reduce", "max", CLP_F64, CLP_F64, {0x41aa0695d2600574, 0xe5db9c5b84e19a3a, 0xa406f37db16ef240}},
    {"reduce", "norm2", CLP_F64, CLP_F64, {0x7344a6492055f135, 0x3dd18e17e240d3b8, 0xdee2adc2c1cfa118}},
    {"reduce", "argmax", CLP_F64, CLP_U64, {0x307e294e9163519b, 0x441874e7632b34f7, 0x80ecb520ea7f0399}},
    {"reduce", "mean", CLP_F64, CLP_F64, {0xe2a2b560349056e7, 0x7a577616966facf4, 0x92e95bba892e3d0d}},
    {"reduce", "sum_compensated", CLP_F64, CLP_F64, {0x94b71d0199967a33, 0xc339d73993c80aaa, 0xc9c95051a40d9b78}},
    {"reduce", "sum_segments_mixed", CLP_F64, CLP_F64, {0x80f0424c8bd9b47b, 0x3bf849d4a2220295, 0xd091a5c468d2c844}},
    {"scan", "sum", CLP_I8, CLP_I8, {0x7cc06fca5eba4598, 0x0000000000000000, 0x7fe93f62e6c373af}},
    {"scan", "exclusive_sum", CLP_U8, CLP_U32, {0xed8c01db281c24d7, 0x0000000000000000, 0xbfd56ba7fb3a589c}},
    {"scan", "exclusive_min", CLP_U16, CLP_U16, {0xe7755dcf7da975ca, 0x0000000000000000, 0x74a3f8c3bb2bc070}},
    {"scan", "sum", CLP_I32, CLP_I32, {0x8787440dabd379e9, 0x0000000000000000, 0xb3e4175625032913}},
    {"scan", "sum", CLP_I32, CLP_I64, {0x0b71ff05b00cb389, 0x0000000000000000, 0x40c1d4e66d266966}},
    {"scan", "exclusive_sum", CLP_U32, CLP_U32, {0xa09906119db86e10, 0x0000000000000000, 0xd9f1c8d7fdc1006a}},
    {"scan", "xor", CLP_U32, CLP_U32, {0xa04193c050e38f85, 0x0000000000000000, 0xc36f3aaf42ac46ac}},
    {"scan", "exclusive_sum", CLP_U64, CLP_U64, {0x8ea7360353b2338e, 0x0000000000000000, 0x10daa31c6933d40d}},
    {"scan", "sum", CLP_F16, CLP_F16, {0xad836b4c2fb1d95e, 0xa4a80ba2ebcf551d, 0x47175128c2ed8994}},
    {"scan", "max", CLP_BF16, CLP_BF16, {0xd7d0a395c178915c, 0x69a7d4f8c8277ace, 0x72196e628e3cfa1a}},
    {"scan", "sum", CLP_F32, CLP_F32, {0x327213e30c3ed0d8, 0xe68e3466fa5e8f8d, 0x656c5b1c6cd443c1}},
    {"scan", "max", CLP_F32, CLP_F32, {0x48e60dcdec6ea78f, 0xd60e7c0ffaff97dc, 0x31609beb72480c1f}},
    {"scan", "sum", CLP_F64, CLP_F64, {0xaf8e5f5a85ce2909, 0x87b05fde1441e4cd, 0x87dba6a690e088ab}},
    {"scan", "sum_flags_one", CLP_F32, CLP_F32, {0x327213e30c3ed0d8, 0xe68e3466fa5e8f8d, 0x656c5b1c6cd443c1}},
    {"scan", "sum_flags_100", CLP_F32, CLP_F32, {0x7d56c4444675609c, 0x52d17273f6fda5f3, 0x86182ac4c53c17ee}},
    {"scan", "sum_flags_mixed", CLP_F32, CLP_F32, {0x5eaf22f8378fc09c, 0x00ddabf47c8599d8, 0x76851ee9bc02efa8}},
    {"scan", "sum_keys_100", CLP_F32, CLP_F32, {0x7d56c4444675609c, 0x52d17273f6fda5f3, 0x86182ac4c53c17ee}},
    {"scan", "exclusive_sum_flags_mixed", CLP_F64, CLP_F64, {0x17a468db4cf95817, 0x4e0d0c565e0d2e7b, 0x7752ac14dbf94520}},
    {"scan", "max_keys_mixed", CLP_I32, CLP_I32, {0x6596ca138507ad92, 0x0000000000000000, 0x061718ca0149a54d}},
    {"scan", "exclusive_sum_rows_4096", CLP_U32, CLP_U32, {0x3a5941da939cceaf, 0x0000000000000000, 0x1652d49ace884256}},
    {"scan", "exclusive_sum_segments_mixed", CLP_U32, CLP_U64, {0x69916f12ed412b91, 0x0000000000000000, 0x1bcdd03855debb41}},
    {"scan", "sum_rows_4096", CLP_F32, CLP_F32, {0xe7834fe0eb17b01f, 0x94fe61476bd7c54b, 0x112709ff119c519d}},
    {"scan", "sum_segments_one", CLP_F32, CLP_F32, {0x327213e30c3ed0d8, 0xe68e3466fa5e8f8d, 0x656c5b1c6cd443c1}},
    {"scan", "sum_segments_100", CLP_F32, CLP_F32, {0xa5a1a71d6dfad78b, 0x0409d9b5022b6219, 0x3964419f19a4497f}},
    {"scan", "sum_segments_mixed", CLP_F32, CLP_F32, {0x35382e4e5b64e905, 0xfb8ebe2e6fcc023e, 0x1b43cbada8b97c91}},
    {"select", "select_where_50", CLP_U8, CLP_U8, {0x1aead8d1f32c5402, 0x0000000000000000, 0x7f9f238b74772c7a}},
    {"select", "unique", CLP_U8, CLP_U8, {0x0cc5a1b09a8881f4, 0x0000000000000000, 0x53abfe3880ef708c}},
    {"select", "select_flags_100", CLP_U16, CLP_U16, {0xfa5e2fdb61935427, 0x0000000000000000, 0x05e1017b39fcabff}},
    {"select", "partition_flags_half", CLP_I16, CLP_I16, {0x7ca3e115c9a679ad, 0x0000000000000000, 0x1e46b3f3dad6abdb}},
    {"select", "select_where_50", CLP_I32, CLP_I32, {0xbfb4fcfbfa305550, 0x0000000000000000, 0x78c6a221f398e16b}},
    {"select", "unique_runs_5", CLP_U32, CLP_U32, {0x71125ef455eb52a0, 0x0000000000000000, 0x03e02ca192214c34}},
    {"select", "select_flags_half", CLP_U64, CLP_U64, {0x7068310b3d40e118, 0x0000000000000000, 0x1491ad5c638459da}},
    {"select", "select_where_50", CLP_F16, CLP_F16, {0x781a1f2962fcf290, 0x5b6f56f46f36507f, 0x51052fae090149fa}},
    {"select", "unique", CLP_BF16, CLP_BF16, {0xcec764807611073a, 0xc7ac3a53a2b2f2cb, 0x3d8d3fa14b91947b}},
    {"select", "select_where_1", CLP_F32, CLP_F32, {0x4b2ee51fce3321da, 0xd553f893abb9bddc, 0x3f980b94ece25d4b}},
    {"select", "select_where_50", CLP_F32, CLP_F32, {0xba2da8047af270e8, 0xb412f00d028aa028, 0xa035f1bb5d7815eb}},
    {"select", "select_where_99", CLP_F32, CLP_F32, {0x74be99c67f9bde53, 0x39dccfe3038ebdbe, 0x0429fced34829b82}},
    {"select", "indices_where_50", CLP_F32, CLP_U32, {0xf9f3f38453e25183, 0xa6b6520aa0f66fa7, 0x7ce3585d6b905fc7}},
    {"select", "select_flags_half", CLP_F32, CLP_F32, {0x176a4e46d7597567, 0x10723e06fd68f267, 0x8af75c319bf1ef40}},
    {"select", "partition_where_50", CLP_F32, CLP_F32, {0xc01ea401da32021f, 0x823aeedb43cbeb30, 0x62ad46f09cabf412}},
    {"select", "unique", CLP_F32, CLP_F32, {0x0fa68c6411f8c9e8, 0x39dccfe3038ebdbe, 0x00ece28952190e57}},
    {"select", "unique_runs_5", CLP_F32, CLP_F32, {0x3234229d58cb6390, 0xc9196d7b3c7af77d, 0xd24a1ab697deed57}},
    {"select", "unique_runs_100", CLP_F32, CLP_F32, {0x362e3b8b66dc5524, 0x9be3d326678ed303, 0xeb19f3db417d0ee9}},
    {"select", "select_where_50", CLP_F64, CLP_F64, {0x38faececba7bde8c, 0xa9efce10e9e345e7, 0x3fc9618c46588594}},
    {"select", "unique_runs_mixed", CLP_F64, CLP_F64, {0x15c0ce4adf578c49, 0xf8332318f637ec2c, 0xb8ea2c76e183c83e}},
    {"runs", "rle_runs_5", CLP_U8, CLP_U64, {0xb02cb2f67b06eab1, 0x0000000000000000, 0xec51ebe7fe722570}},
    {"runs", "rle_runs_5", CLP_U32, CLP_U32, {0xe295358802ff01c3, 0x0000000000000000, 0x0c59a1de939872f9}},
    {"runs", "rle", CLP_F32, CLP_U32, {0x2b526692a4a3e169, 0xcdd5a8bd3bd4dbdd, 0x284b75d374ffb868}},
    {"runs", "rle_runs_5", CLP_F32, CLP_U32, {0xeb8936e936e78297, 0xe72ae284e815f0c9, 0xac14b174af645afa}},
    {"runs", "rle_runs_100", CLP_F32, CLP_U32, {0xe846a9736a515b38, 0xb09b918f5a348aba, 0x621702b35cacbef5}},
    {"runs", "rle_runs_mixed", CLP_F32, CLP_U32, {0xd78195647758f840, 0xe756aa3637a8ee7c, 0x05307a9e469b9773}},
    {"runs", "rle_runs_one", CLP_F32, CLP_U32, {0x8ab72829ef4ed1a2, 0x43a42e98bbddb1dd, 0xe9a480e8288baf3a}},
    {"runs", "offsets_runs_5", CLP_F32, CLP_U32, {0xa406fe2d37fd5a2f, 0xd7f4723476fcb197, 0x83e4e2b5668d92cd}},
    {"runs", "sum_keys_5", CLP_F32, CLP_F32, {0x1aa5256f95c1ba45, 0xc682837ee791fe39, 0x816f53326eda1d3c}},
    {"runs", "sum_keys_100", CLP_F32, CLP_F32, {0x733e7651fa4d9a27, 0xf7e7477fc87d01da, 0x6ccd4d65ce8f71d8}},
    {"runs", "sum_keys_mixed", CLP_F32, CLP_F32, {0x0451c58011bbe33c, 0x0fad566a0b952929, 0x2b831c3b9bded45f}},
    {"runs", "sum_keys_one", CLP_F32, CLP_F32, {0xaf95e0631ee11129, 0xaf16b09e6a506d8c, 0x8b4a7bf2ace69116}},
    {"histogram", "even_100", CLP_I8, CLP_U64, {0x20614fc64a1811b3, 0x0000000000000000, 0xe30d9d1df15af914}},
    {"histogram", "bytes", CLP_U8, CLP_U32, {0xca3d0977baff75f5, 0x0000000000000000, 0xbec4fd6ef2fc2c3a}},
    {"histogram", "bytes_zeros_90", CLP_U8, CLP_U32, {0xac7b0af9ebd977a4, 0x0000000000000000, 0x402544223adcc8c6}},
    {"histogram", "bytes_runs_one", CLP_U8, CLP_U32, {0x0c87a7474c7190f9, 0x0000000000000000, 0x97c6e09286295410}},
    {"histogram", "bytes_rows", CLP_U8, CLP_U64, {0xb134792d2d58a854, 0x0000000000000000, 0x61d74852915edb63}},
    {"histogram", "even_300", CLP_I16, CLP_U32, {0x277a7758b3f88f6a, 0x0000000000000000, 0x330014f921e9de11}},
    {"histogram", "even_1000", CLP_I32, CLP_U64, {0xdd9f3e44de35f08f, 0x0000000000000000, 0xa134e344e952544b}},
    {"histogram", "edges_512", CLP_U32, CLP_U32, {0x3efca1d3d88e1746, 0x0000000000000000, 0x86dbcefb311bdddc}},
    {"histogram", "even_1000", CLP_U64, CLP_U32, {0x813b0a3490d87518, 0x0000000000000000, 0x64455bdce9eaae41}},
    {"histogram", "even_100", CLP_F16, CLP_U64, {0x5868963ad6b0fd07, 0x4960fffb01bf76b2, 0x79b8dc324e8d9cc3}},
    {"histogram", "even_50", CLP_BF16, CLP_U32, {0x8a4f562c09025903, 0xfbd611e5e787fe89, 0x7648c321039720bf}},
    {"histogram", "even_1024", CLP_F32, CLP_U32, {0x9b43814cc78f9100, 0x7b216269603c996b, 0xb494de524ff31f61}},
    {"histogram", "even_65536", CLP_F32, CLP_U32, {0x2ecdef2f7f6cacca, 0x71d4ae7116050468, 0x52b9bbe074d32575}},
    {"histogram", "even_100_weights", CLP_F32, CLP_U64, {0x02600617c79b8b67, 0xdc3013861cfcef51, 0xccce1737b47c51f4}},
    {"histogram", "even_1000_rows", CLP_F64, CLP_U32, {0xb19501f05a664691, 0xac7527e258be0a7f, 0xd663d000bab58db6}},
    /* clang-format on */
};

uint64_t golden_digest(const struct pattern *pattern, const struct pattern_case *what,
                       enum check_class_name name) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].type == what->type && rows[i].result == what->result &&
            strcmp(rows[i].pattern, pattern->name) == 0 && strcmp(rows[i].name, what->name) == 0)
            return rows[i].digests[name];
    return 0;
}

/* Writes the enumerator of a type: "i32" is CLP_I32. */
static void print_type(clp_type type) {
    printf("CLP_");
    for (const char *c = clp_type_name(type); *c != '\0'; c++)
        putchar(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
}

/* @return 0 after a message */
static uint64_t reference_digest(const struct pattern *pattern, const struct pattern_case *what,
                                 enum check_class_name name) {
    XXH64_state_t *state = XXH64_createState();
    uint64_t digest = 0;
    bool good = true;
    XXH64_reset(state, 0);
    for (size_t s = 0; s < check_classes[name].set_count && good; s++) {
        struct check_data data;
        if (!check_data_make(&data, pattern, what, &check_classes[name], check_classes[name].sets[s])) {
            complain("out of memory");
            good = false;
            break;
        }
        XXH64_update(state, data.expected, data.expected_size);
        check_data_free(&data);
    }
    digest = good ? XXH64_digest(state) : 0;
    XXH64_freeState(state);
    return digest;
}

bool golden_print(int count, char **names) {
    bool good = true;
    for (size_t p = 0; patterns[p] != NULL; p++) {
        bool wanted = count == 0;
        for (int i = 0; i < count; i++)
            wanted = wanted || strcmp(names[i], patterns[p]->name) == 0;
        for (size_t c = 0; wanted && c < patterns[p]->case_count; c++) {
            const struct pattern_case *what = &patterns[p]->cases[c];
            if (!patterns[p]->exact(what))
                continue;
            printf("    {\"%s\", \"%s\", ", patterns[p]->name, what->name);
            print_type(what->type);
            printf(", ");
            print_type(what->result);
            for (enum check_class_name name = 0; name < CHECK_CLASS_COUNT; name++) {
                const bool applies = check_class_applies(name, what);
                const uint64_t digest = applies ? reference_digest(patterns[p], what, name) : 0;
                printf("%s0x%016" PRIx64, name == 0 ? ", {" : ", ", digest);
                good = good && (digest != 0 || !applies);
            }
            printf("}},\n");
        }
    }
    return good;
}

# SPDX-License-Identifier: Apache-2.0
"""PyTorch as a peer of `clpatterns bench`: a child process that answers requests (torch.c).

Requests are lines on standard input, answers are JSON objects, a line each, on standard output:

    {"pattern": "reduce", "case": "sum", "type": "f32", "result": "f32", "rows": 0,
     "bytes": 4000}
              the elements follow as bytes; they stay on the GPU  -> {"ok": true}
    run N     N calls back to back, then torch.cuda.synchronize() -> {"ms": of all}
    event     one call between two events                         -> {"ms": ...}
    result    of the last call                                    -> {"bytes": N}, then the bytes

Anything that goes wrong is answered by {"error": text}. The end of standard input ends the process. A new
pattern is one more entry of CASES.
"""
import json
import sys
import time


def say(**answer):
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


try:
    import torch
except Exception as error:  # whatever keeps it from being imported
    say(error="not found: python3 has no PyTorch (%s)" % type(error).__name__)
    sys.exit()
if not torch.cuda.is_available():
    say(error="not found: this PyTorch sees no CUDA device")
    sys.exit()

TYPES = {name: getattr(torch, torch_name) for name, torch_name in (
    ("i8", "int8"), ("u8", "uint8"), ("i16", "int16"), ("u16", "uint16"), ("i32", "int32"), ("u32", "uint32"),
    ("i64", "int64"), ("u64", "uint64"), ("f16", "float16"), ("bf16", "bfloat16"), ("f32", "float32"),
    ("f64", "float64")) if hasattr(torch, torch_name)}

# (pattern, case): what computes it from the elements x for results of type r; rows are x's first dimension
CASES = {
    ("reduce", "sum"): lambda x, r: torch.sum(x, dtype=r),
    ("reduce", "prod"): lambda x, r: torch.prod(x, dtype=r),
    ("reduce", "mean"): lambda x, r: torch.mean(x, dtype=r),
    ("reduce", "min"): lambda x, r: torch.amin(x),
    ("reduce", "max"): lambda x, r: torch.amax(x),
    ("scan", "sum"): lambda x, r: torch.cumsum(x, 0, dtype=r),
    ("scan", "prod"): lambda x, r: torch.cumprod(x, 0, dtype=r),
    ("reduce", "argmin"): lambda x, r: torch.argmin(x),
    ("reduce", "argmax"): lambda x, r: torch.argmax(x),
    ("reduce", "sum_rows"): lambda x, r: torch.sum(x, -1, dtype=r),
    ("reduce", "max_rows"): lambda x, r: torch.amax(x, -1),
    ("reduce", "argmax_rows"): lambda x, r: torch.argmax(x, -1),
    ("histogram", "bytes"): lambda x, r: torch.bincount(x, minlength=256).to(r),
    ("histogram", "even_1024"): lambda x, r: torch.histc(x, 1024, -250, 250).to(r),
    ("histogram", "even_65536"): lambda x, r: torch.histc(x, 65536, -250, 250).to(r),
}
for name in "bytes_zeros_90", "bytes_runs_one":
    CASES["histogram", name] = CASES["histogram", "bytes"]


class Work:
    def __init__(self, request, data):
        if (request["pattern"], request["case"]) not in CASES:
            raise ValueError("not written for this case")
        is_index = request["case"].startswith("arg")  # an i64, whatever is asked for
        results = {"u32": torch.int32, "u64": torch.int64} if is_index else TYPES
        for name, types in ((request["type"], TYPES), (request["result"], results)):
            if name not in types:
                raise ValueError("this PyTorch has no type " + name)
        self.function = CASES[request["pattern"], request["case"]]
        self.type = results[request["result"]]
        self.x = torch.frombuffer(data, dtype=TYPES[request["type"]]).cuda()
        if request["rows"] > 0:
            self.x = self.x.reshape(request["rows"], -1)
        self.call()
        torch.cuda.synchronize()
        if self.y.dtype != (torch.int64 if is_index else self.type):
            raise ValueError("its result is a " + str(self.y.dtype))

    def call(self):
        self.y = self.function(self.x, self.type)

    def run(self, calls):
        start = time.perf_counter()
        for _ in range(calls):
            self.call()
        torch.cuda.synchronize()
        return 1e3 * (time.perf_counter() - start)

    def event(self):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        self.call()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end)

    def result(self):
        return self.y.cpu().to(self.type).contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


def receive(size):
    data = bytearray(size)
    view = memoryview(data)
    while len(view) > 0:
        got = sys.stdin.buffer.readinto(view)
        if not got:
            sys.exit()
        view = view[got:]
    return data


def answer(request, work):
    """One request; returns the work that the next one is about."""
    if request[0] == "{":
        request = json.loads(request)
        data = receive(request["bytes"])
        work = None  # its memory goes before new memory is needed
        torch.cuda.empty_cache()
        work = Work(request, data)
        say(ok=True)
    elif work is None:
        say(error="nothing is open")
    elif request == "event":
        say(ms=work.event())
    elif request == "result":
        data = work.result()
        say(bytes=len(data))
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        say(ms=work.run(int(request.split()[1])))
    return work


def main():
    work = None
    say(ok=True, version=torch.__version__)
    for line in iter(sys.stdin.buffer.readline, b""):
        try:
            work = answer(line.decode().strip(), work)
        except Exception as error:  # the bench shows it in the row
            say(error=str(error).split("\n")[0][:100])


main()

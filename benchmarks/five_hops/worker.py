"""One worker process: `python -m benchmarks.five_hops.worker`, with the order as JSON on its command line."""

import asyncio
import json
import sys
from pathlib import Path

from benchmarks.five_hops.plan import Order
from benchmarks.five_hops.tally import Tally

READY_SECONDS = 60.0


async def _run(order: Order) -> None:
    tally = Tally()
    if order.variant == "raw":
        from benchmarks.five_hops.raw import run
    elif order.variant == "faust":
        from benchmarks.five_hops.bare_faust import run
    else:
        from benchmarks.five_hops.ours import run
    await run(order, tally, READY_SECONDS)


def main() -> None:
    told = json.loads(sys.argv[1])
    asyncio.run(_run(Order(**told | {"folder": Path(told["folder"])})))


if __name__ == "__main__":
    main()

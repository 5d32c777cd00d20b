"""``python -m opwright.worker DESCRIPTOR``: the process that :mod:`opwright.worker.spawn` starts."""

from __future__ import annotations

import sys

from opwright.worker.zygote import main

if __name__ == "__main__":
    main(int(sys.argv[1]))

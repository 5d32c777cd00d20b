"""What the vendors' tools print, read: each parser is a function of the text and of which device is meant."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# nvml.h, "NvmlClocksEventReasons": why the clocks of an NVIDIA GPU are not as high as they could be.
_REASONS = {
    0x1: "idle",
    0x2: "application clocks",
    0x4: "power cap",
    0x8: "hardware slowdown",
    0x10: "sync boost",
    0x20: "software thermal slowdown",
    0x40: "hardware thermal slowdown",
    0x80: "power brake",
    0x100: "display clocks",
}
IDLE, SET = "idle", "application clocks"
# The reasons that say nothing of how hard or how hot the device is working.
HARMLESS = frozenset({IDLE, SET, "display clocks"})

_NVIDIA_FIELDS = (
    *("clocks.sm", "clocks.mem", "temperature.gpu", "clocks_{}_reasons.active"),
    *("power.draw", "persistence_mode", "clocks.applications.graphics"),
)


@dataclass(frozen=True)
class Place:
    """Which device is meant: torch's number, NVIDIA's UUID, the PCI address; empty where not known."""

    index: int = 0
    uuid: str = ""
    pci: str = ""


@dataclass(frozen=True)
class DeviceState:
    """One look at a device; None for what the source does not say, and ``not_read`` for no look at all.

    ``reasons`` are those for which the clocks are lower than they could be. ``performance`` is AMD's and
    Hygon's performance level (``auto``, ``manual``, ``high``).
    """

    source: str = ""
    clock_mhz: float | None = None
    memory_clock_mhz: float | None = None
    temperature_c: float | None = None
    power_w: float | None = None
    reasons: tuple[str, ...] | None = None
    persistence: bool | None = None
    application_clock_mhz: float | None = None
    performance: str = ""
    not_read: str = ""


def throttle_reasons(mask: int) -> tuple[str, ...]:
    """The names of the bits of NVML's mask; bits without a name by their number."""
    known = tuple(name for bit, name in _REASONS.items() if mask & bit)
    rest = mask & ~sum(_REASONS)
    return (*known, f"reason {rest:#x}") if rest else known


def nvidia_smi_fields(word: str) -> str:
    """What `parse_nvidia_smi` reads, for ``--query-gpu``; ``word`` is ``event``, or ``throttle`` of old."""
    return ",".join(_NVIDIA_FIELDS).format(word)


def parse_nvidia_smi(text: str, place: Place) -> DeviceState:
    """One line of ``--format=csv,noheader,nounits`` for one GPU."""
    line = text.strip().splitlines()[0] if text.strip() else ""
    values = [value.strip() for value in line.split(",")]
    if len(values) != len(_NVIDIA_FIELDS):
        return DeviceState(not_read=f"nvidia-smi says {line!r}, not {len(_NVIDIA_FIELDS)} values")
    clock, memory, temperature, reasons, power, persistence, application = values
    mask = int(reasons, 16) if re.fullmatch(r"0x[0-9a-fA-F]+", reasons) else None
    return DeviceState(
        source="nvidia-smi",
        clock_mhz=_number(clock),
        memory_clock_mhz=_number(memory),
        temperature_c=_number(temperature),
        power_w=_number(power),
        reasons=None if mask is None else throttle_reasons(mask),
        persistence={"Enabled": True, "Disabled": False}.get(persistence),
        application_clock_mhz=_number(application),
    )


def parse_rocm_smi(text: str, place: Place) -> DeviceState:
    """``rocm-smi --json``: an object for each card, whose keys change from version to version.

    Outputs of 3.0 to 6.2 are in RainbowMiner issue 749, wandb pull request 5449 and systeminformation pull
    request 960. Words before the object (warnings) are skipped.
    """
    try:
        cards: Any = json.loads(text[text.index("{") :])
    except ValueError:
        return DeviceState(not_read=f"rocm-smi says no JSON: {text.strip()[:60]!r}")
    card = _card(cards, place)
    if card is None:
        return DeviceState(not_read=f"rocm-smi lists no device {place.pci or place.index}")
    temperature = _first(card, r"Temperature \(Sensor junction\) \(C\)", r"Temperature .* \(C\)")
    return DeviceState(
        source="rocm-smi",
        clock_mhz=_first(card, r"sclk clock speed:?"),
        memory_clock_mhz=_first(card, r"mclk clock speed:?"),
        temperature_c=temperature,
        power_w=_first(
            card, r"(Average|Current Socket) Graphics Package Power \(W\)", r".*Package Power \(W\)"
        ),
        performance=str(card.get("Performance Level", "")),
    )


def _card(cards: Any, place: Place) -> Mapping[str, Any] | None:
    """By PCI address where both know it, else by number."""
    if not isinstance(cards, Mapping):
        return None
    for card in cards.values() if place.pci else ():
        if isinstance(card, Mapping) and str(card.get("PCI Bus", "")).lower() == place.pci.lower():
            return card
    card = cards.get(f"card{place.index}")
    known = isinstance(card, Mapping) and "PCI Bus" in card and place.pci
    return card if isinstance(card, Mapping) and not known else None


def _first(card: Mapping[str, Any], *patterns: str) -> float | None:
    """The number of the first key that matches, in the order of the patterns."""
    for pattern in patterns:
        for key, value in card.items():
            if re.fullmatch(pattern, key, re.IGNORECASE):
                number = _number(str(value))
                if number is not None:
                    return number
    return None


def parse_hy_smi(text: str, place: Place) -> DeviceState:
    """The table of ``hy-smi``, and of the ``rocm-smi`` of DTK, by the words above its columns.

    PaddlePaddle's and DeepXDE's instructions for DCUs show it with and without the columns of clocks.
    """
    names: list[str] = []
    for line in text.splitlines():
        words = line.split()
        if {"Temp", "Perf"} <= set(words):
            names = words
        elif names and words and words[0] == str(place.index) and len(words) == len(names):
            row = dict(zip(names, words, strict=True))
            return DeviceState(
                source="hy-smi",
                clock_mhz=_number(row.get("SCLK", "")),
                memory_clock_mhz=_number(row.get("MCLK", "")),
                temperature_c=_number(row.get("Temp", "")),
                power_w=_number(row.get("AvgPwr", row.get("Power", ""))),
                performance=row["Perf"],
            )
    return DeviceState(not_read=f"hy-smi lists no device {place.index}")


# | 0     910B                | OK            | 70.0        34                0    / 0             |
_NPU = re.compile(r"^\|\s*\d+\s+\w\S*\s*\|\s*\w+\s*\|\s*(\S+)\s+(\S+)\s+\S+\s*/\s*\S+\s*\|\s*$")


def parse_npu_smi(text: str, place: Place) -> DeviceState:
    """The table of ``npu-smi info``: two lines for each NPU, of which the first has power and temperature.

    Tables of 23.0 to 25.3 are alike in that. It shows no clocks.
    """
    found = [match for line in text.splitlines() if (match := _NPU.match(line))]
    if place.index >= len(found):
        return DeviceState(not_read=f"npu-smi lists {len(found)} devices, and none {place.index}")
    power, temperature = found[place.index].groups()
    return DeviceState(source="npu-smi", temperature_c=_number(temperature), power_w=_number(power))


def _number(text: str) -> float | None:
    """The number in ``(800Mhz)``, ``48.0c`` and the like; None for ``N/A``, ``NA``, ``[Not Supported]``."""
    found = re.search(r"-?\d+(?:\.\d+)?", text)
    return float(found[0]) if found else None

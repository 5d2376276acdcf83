"""Folders as the kernel lays them out for AMD cards, each made from a table of files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

GIB = 1 << 30

Tree = Mapping[str, str | OSError]
"""File below the card's folder, and its content, or how reading it fails."""

RX_7900_XTX: Tree = {
    "vendor": "0x1002\n",
    "device": "0x744c\n",
    "revision": "0xc8\n",
    "product_name": "\n",
    "uevent": "DRIVER=amdgpu\nPCI_CLASS=30000\nPCI_ID=1002:744C\nPCI_SLOT_NAME=0000:03:00.0\n",
    "power/runtime_status": "active\n",
    "mem_info_vram_total": "25753026560\n",
    "mem_info_vram_used": "1069547520\n",
    "mem_info_gtt_total": "33554432000\n",
    "mem_info_gtt_used": "94371840\n",
    "gpu_busy_percent": "97\n",
    "pp_dpm_sclk": "0: 500Mhz \n1: 2371Mhz *\n2: 2526Mhz \n",
    "pp_dpm_mclk": "0: 96Mhz \n1: 456Mhz \n2: 772Mhz \n3: 1249Mhz *\n",
    "hwmon/hwmon4/name": "amdgpu\n",
    "hwmon/hwmon4/power1_average": "312000000\n",
    "hwmon/hwmon4/power1_cap": "339000000\n",
    "hwmon/hwmon4/temp1_input": "61000\n",
    "hwmon/hwmon4/temp1_label": "edge\n",
    "hwmon/hwmon4/temp2_input": "78000\n",
    "hwmon/hwmon4/temp2_label": "junction\n",
    "hwmon/hwmon4/freq1_input": "2371000000\n",
    "hwmon/hwmon4/freq1_label": "sclk\n",
    "hwmon/hwmon4/freq2_input": "1249000000\n",
    "hwmon/hwmon4/freq2_label": "mclk\n",
}

RX_580: Tree = {
    "vendor": "0x1002\n",
    "device": "0x67df\n",
    "revision": "0xe7\n",
    "uevent": "DRIVER=amdgpu\nPCI_SLOT_NAME=0000:0A:00.0\n",
    "mem_info_vram_total": "8589934592\n",
    "mem_info_vram_used": "314572800\n",
    "mem_info_gtt_total": "8589934592\n",
    "mem_info_gtt_used": "20971520\n",
    "gpu_busy_percent": "3\n",
    "pp_dpm_sclk": "0: 300Mhz *\n1: 1366Mhz \n",
    "pp_dpm_mclk": "0: 300Mhz \n1: 2000Mhz *\n",
    "hwmon/hwmon1/power1_input": "34124000\n",
    "hwmon/hwmon1/power1_cap": "185000000\n",
    "hwmon/hwmon1/temp1_input": "42000\n",
}
"""No average of its power, no clocks among its sensors, no label of its temperature."""

APU: Tree = {
    "vendor": "0x1002\n",
    "device": "0x15bf\n",
    "revision": "0xc7\n",
    "uevent": "DRIVER=amdgpu\nPCI_SLOT_NAME=0000:c4:00.0\n",
    "mem_info_vram_total": "536870912\n",
    "mem_info_vram_used": "402653184\n",
    "mem_info_gtt_total": "15461882265\n",
    "mem_info_gtt_used": "6442450944\n",
    "gpu_busy_percent": "71\n",
    "hwmon/hwmon5/in1_label": "vddnb\n",
    "hwmon/hwmon5/power1_average": "28000000\n",
    "hwmon/hwmon5/temp1_input": "66000\n",
    "hwmon/hwmon5/temp1_label": "edge\n",
    "hwmon/hwmon5/freq1_input": "1900000000\n",
}


def plug(root: Path, number: int, tree: Tree) -> Path:
    """Put a card into ``root`` with the folder of its device beside it, as a link like the kernel's."""
    device = root.parent / "devices" / f"slot-{number}"
    for name, content in tree.items():
        path = device / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("" if isinstance(content, OSError) else content, encoding="utf-8")
    card = root / f"card{number}"
    card.mkdir(parents=True)
    (card / "device").symlink_to(device)
    return device

"""Icons on a grid of 16. They are drawn into the page: in a file of their own they would delay its first paint."""

from __future__ import annotations

ICONS = {
    "search": '<circle cx="7" cy="7" r="4.5"/><path d="m10.5 10.5 3.5 3.5"/>',
    "more": '<circle cx="3" cy="8" r=".6"/><circle cx="8" cy="8" r=".6"/><circle cx="13" cy="8" r=".6"/>',
    "plus": '<path d="M8 3v10M3 8h10"/>',
    "check": '<path d="m3 8.5 3.2 3.2L13 5"/>',
    "x": '<path d="m4 4 8 8M12 4l-8 8"/>',
    "flag": '<path d="M4 14V2.5h8L10 6l2 3.5H4"/>',
    "edit": '<path d="m3 13 .6-2.8L11 2.8 13.2 5l-7.4 7.4L3 13z"/>',
    "pause": '<path d="M5.5 3.5v9M10.5 3.5v9"/>',
    "play": '<path d="M5 3.3v9.4L12.5 8 5 3.3z"/>',
    "download": '<path d="M8 2.5v8M4.5 7.5 8 11l3.5-3.5M3 13.5h10"/>',
    "upload": '<path d="M8 11V3M4.5 6 8 2.5 11.5 6M3 13.5h10"/>',
    "people": (
        '<circle cx="6" cy="5.5" r="2.5"/>'
        '<path d="M1.5 13.5c.4-2.6 2.2-4 4.5-4s4.1 1.4 4.5 4'
        'M11 3.3a2.3 2.3 0 0 1 0 4.4M12.5 9.9c1.2.6 1.9 1.8 2.1 3.6"/>'
    ),
    "alert": '<path d="M8 2.2 14.5 13.5h-13L8 2.2zM8 6.5v3.2M8 11.7v.1"/>',
    "info": '<circle cx="8" cy="8" r="6"/><path d="M8 7.3v3.7M8 5v.1"/>',
    "star": '<path d="m8 2 1.8 3.8 4.2.5-3.1 2.9.8 4.1L8 11.3l-3.7 2 .8-4.1L2 6.3l4.2-.5L8 2z"/>',
    "activity": '<path d="M1.5 8.5h3l2-5.5 3 10 2-4.5h3"/>',
    "left": '<path d="M10 3.5 5.5 8l4.5 4.5"/>',
    "right": '<path d="M6 3.5 10.5 8 6 12.5"/>',
    "document": '<path d="M4 1.8h5.5L12.5 5v9.2H4zM6.2 7.5h4M6.2 10.5h4"/>',
    "clock": '<circle cx="8" cy="8" r="6"/><path d="M8 4.5V8l2.3 1.8"/>',
    "book": (
        '<path d="M8 4C6.5 2.9 4.5 2.6 2 2.8v9.6c2.5-.2 4.5.1 6 1.2 1.5-1.1 3.5-1.4 6-1.2'
        'V2.8C11.5 2.6 9.5 2.9 8 4zm0 0v9.6"/>'
    ),
    "box": '<path d="M8 1.8 13.5 5v6L8 14.2 2.5 11V5L8 1.8zM2.5 5 8 8.2 13.5 5M8 8.2v6"/>',
    "chart": '<path d="M2.5 13.5h11M4.5 11V7.5M8 11V3.5M11.5 11V6"/>',
}

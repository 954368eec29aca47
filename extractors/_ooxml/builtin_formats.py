"""The number formats that a spreadsheet names by number only."""

from __future__ import annotations

GENERAL = "General"
#: 14 and 22 differ by country: ISO order is read alike everywhere. 27 to 58 are those of Chinese Excel (ECMA-376
#: part 1, 18.8.30).
BUILTIN = {
    0: GENERAL, 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: "$#,##0;($#,##0)", 6: "$#,##0;($#,##0)",
    7: "$#,##0.00;($#,##0.00)", 8: "$#,##0.00;($#,##0.00)", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?",
    13: "# ??/??", 14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd h:mm", 37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)",
    39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;(#,##0.00)", 41: "#,##0;-#,##0;-", 42: "$#,##0;-$#,##0;-",
    43: "#,##0.00;-#,##0.00;-", 44: "$#,##0.00;-$#,##0.00;-", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0",
    48: "##0.0E+0", 49: "@",
    27: 'yyyy"年"m"月"', 28: 'm"月"d"日"', 29: 'm"月"d"日"', 30: "m-d-yy", 31: 'yyyy"年"m"月"d"日"',
    32: 'h"时"mm"分"', 33: 'h"时"mm"分"ss"秒"', 34: 'AM/PMh"时"mm"分"', 35: 'AM/PMh"时"mm"分"ss"秒"',
    36: 'yyyy"年"m"月"', 50: 'yyyy"年"m"月"', 51: 'm"月"d"日"', 52: 'yyyy"年"m"月"', 53: 'm"月"d"日"',
    54: 'm"月"d"日"', 55: 'AM/PMh"时"mm"分"', 56: 'AM/PMh"时"mm"分"ss"秒"', 57: 'yyyy"年"m"月"',
    58: 'm"月"d"日"',
}  # fmt: skip
#: The same formats under the numbers of Thai Excel.
_THAI = {59: 1, 60: 2, 61: 3, 62: 4, 67: 9, 68: 10, 69: 12, 70: 13, 71: 14, 72: 14, 73: 15, 74: 16, 75: 17, 76: 20,
         77: 21, 78: 22, 79: 45, 80: 46, 81: 47}  # fmt: skip
BUILTIN |= {number: BUILTIN[same] for number, same in _THAI.items()}

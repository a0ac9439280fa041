import Testing

@testable import HablareCommand

@Suite struct TextColumnsTests {
    @Test(arguments: [
        ("", 0), ("whale", 5), ("café", 4), ("cafe\u{301}", 4), ("鯨", 2), ("クジラ", 6), ("ｸｼﾞﾗ", 4), ("고래", 4),
        ("\u{1112}\u{1161}\u{11AB}", 2), ("🐋", 2), ("👩‍👩‍👧", 2), ("🇪🇸", 2), ("👍🏽", 2), ("❤", 1), ("❤\u{FE0F}", 2), ("ＡＢ", 4),
        ("\u{200B}", 0), ("…—", 2), ("𠮷", 2), ("Ωж", 2),
    ])
    func `Wide characters count two columns, marks none`(text: String, columns: Int) {
        #expect(text.columns == columns)
    }

    @Test(arguments: [
        ("whale", 5, "whale"), ("whales", 5, "whal…"), ("鯨がうたう", 10, "鯨がうたう"), ("鯨がうたう!", 10, "鯨がうた…"),
        ("鯨がうたう", 9, "鯨がうた…"), ("鯨が", 1, "…"), ("👩‍👩‍👧👩‍👩‍👧", 3, "👩‍👩‍👧…"), ("", 1, ""),
    ])
    func `A text is cut to whole characters within the columns`(text: String, most: Int, cut: String) {
        #expect(text.cut(toColumns: most) == cut)
        #expect(cut.columns <= most)
    }

    @Test func `A table is aligned by columns`() {
        var table = Table(["A", "B"])
        table.append(["鯨", "x"])
        table.append(["abc", "y"])
        #expect(table.bodyLines == ["鯨   x", "abc  y"])
    }
}

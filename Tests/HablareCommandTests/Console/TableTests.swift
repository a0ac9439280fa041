import Testing

@testable import HablareCommand

@Suite struct TableTests {
    @Test func `Columns are aligned without trailing spaces`() {
        var table = Table(["ID", "STATE", "JOB"])
        table.append(["1", "completed", ""])
        table.append(["123456", "failed", "j"])
        #expect(table.lines() == ["ID      STATE      JOB", "1       completed", "123456  failed     j"])
    }

    @Test func `A cell cannot break its row or move the cursor`() {
        var table = Table(["A", "B"])
        table.append(["one\ntwo\u{1B}[2J", "x"])
        #expect(table.bodyLines == ["one two [2J  x"])
    }

    @Test func `The next page keeps the column widths`() {
        var table = Table(["A", "B"])
        table.append(["long cell", "x"])
        table.nextPage()
        table.append(["a", "y"])
        #expect(table.bodyLines == ["a          y"])
    }
}

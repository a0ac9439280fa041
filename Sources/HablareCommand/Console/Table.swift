/// Columns of text, aligned. Widths are counted in characters; a cell's last column is not padded.
struct Table: Sendable {
    private let headings: [String]
    private var rows: [[String]] = []
    private var widths: [Int]

    init(_ headings: [String]) {
        self.headings = headings
        widths = headings.map(\.count)
    }

    mutating func append(_ row: [String]) {
        let cells = row.map(Self.onOneLine)
        for (index, cell) in cells.enumerated() where index < widths.count {
            widths[index] = max(widths[index], cell.count)
        }
        rows.append(cells)
    }

    var isEmpty: Bool { rows.isEmpty }

    /// The lines, headings first.
    func lines(_ style: Style = Style(isEnabled: false)) -> [String] {
        [style.bold(line(headings))] + bodyLines
    }

    /// The lines without the headings.
    var bodyLines: [String] { rows.map(line) }

    /// Forgets the rows and keeps the widths, for the next page of a long table.
    mutating func nextPage() {
        rows = []
    }

    private func line(_ cells: [String]) -> String {
        var line = ""
        for (index, cell) in cells.enumerated() {
            line += cell
            guard index < cells.count - 1, index < widths.count else { continue }
            line += String(repeating: " ", count: max(0, widths[index] - cell.count) + 2)
        }
        while line.last == " " { line.removeLast() }
        return line
    }

    /// A cell never breaks its row, and never moves the cursor.
    private static func onOneLine(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.map { ShownText.isControl($0) ? " " : $0 }))
    }
}

protocol ListRow: Encodable, Sendable {
    static var columns: [Column<Self>] { get }
}

struct Column<Row>: Sendable {
    let heading: String
    let text: @Sendable (Row) -> String

    init(_ heading: String, _ text: @escaping @Sendable (Row) -> String) {
        self.heading = heading
        self.text = text
    }
}

extension Console {
    /// Prints all rows as a JSON array, or the shown rows as a table. If the table has no rows, prints a note instead.
    func print<Row: ListRow>(
        _ rows: [Row], shownAs shown: [Row]? = nil, json: Bool, orNote nothing: String
    ) async throws {
        guard !json else { return try await print(JSONText.of(rows)) }
        var table = Table(Row.self)
        for row in shown ?? rows { table.append(row) }
        if table.isEmpty { note(nothing) } else { try await print(table) }
    }

    func print(_ table: Table) async throws {
        try await print(table.lines(outputStyle).joined(separator: "\n"), isStyled: true)
    }
}

/// Aligned columns of text. Widths are measured in columns of a terminal. The last column is not padded.
struct Table: Sendable {
    private let headings: [String]
    private var rows: [[String]] = []
    private var widths: [Int]

    init(_ headings: [String]) {
        self.headings = headings
        widths = headings.map(\.columns)
    }

    init<Row: ListRow>(_: Row.Type) {
        self.init(Row.columns.map(\.heading))
    }

    mutating func append<Row: ListRow>(_ row: Row) {
        append(Row.columns.map { $0.text(row) })
    }

    mutating func append(_ row: [String]) {
        let cells = row.map(Self.onOneLine)
        for (index, cell) in cells.enumerated() where index < widths.count {
            widths[index] = max(widths[index], cell.columns)
        }
        rows.append(cells)
    }

    var isEmpty: Bool { rows.isEmpty }

    func lines(_ style: Style = Style(isEnabled: false)) -> [String] {
        [style.bold(line(headings))] + bodyLines
    }

    var bodyLines: [String] { rows.map(line) }

    /// Removes the rows and keeps the widths of the columns, for the next page of a long table.
    mutating func nextPage() {
        rows = []
    }

    private func line(_ cells: [String]) -> String {
        var line = ""
        for (index, cell) in cells.enumerated() {
            line += cell
            guard index < cells.count - 1, index < widths.count else { continue }
            line += String(repeating: " ", count: max(0, widths[index] - cell.columns) + 2)
        }
        while line.last == " " { line.removeLast() }
        return line
    }

    /// Replaces the characters in a cell that would end its row or move the cursor.
    private static func onOneLine(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { ShownText.isControl($0) ? " " : $0 }))
    }
}

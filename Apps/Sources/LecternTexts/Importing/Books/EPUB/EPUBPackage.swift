/// The package document of an EPUB: what the book is, and the order of its files.
struct EPUBPackage {
    struct Item {
        var path: EPUBPath
        var mediaType: String
        var properties: [Substring]
    }

    var path: String
    var title: String?
    var authors: [String] = []
    var language = "und"
    var rights = ""
    var items: [String: Item] = [:]
    /// The items of the text, in the order of reading.
    var spine: [Item] = []
    var ncx: String?
    var isRightToLeft = false
    /// The addresses that lead out of the book.
    var refused: [String] = []

    init(_ bytes: [UInt8], path: String) {
        self.path = path
        var scanner = MarkupScanner(bytes)
        var text: String?
        var references: [(String, Bool)] = []
        while let event = scanner.next() {
            switch event {
            case .start(let name, let attributes):
                text = ["title", "creator", "language", "rights"].contains(name) ? "" : nil
                switch name {
                case "item": add(attributes)
                case "itemref":
                    if let id = attributes["idref"], references.count < 20_000 {
                        references.append((id, attributes["linear"] != "no"))
                    }
                case "spine":
                    ncx = attributes["toc"]
                    isRightToLeft = attributes["page-progression-direction"] == "rtl"
                default: break
                }
            case .text(let more): text? += more
            case .end(let name):
                if let value = text?.collapsed, !value.isEmpty { set(name, value) }
                text = nil
            }
        }
        spine = references.compactMap { id, isLinear in isLinear ? items[id] : nil }
    }

    /// The path of the document with the titles (EPUB 3), and that of the older one (EPUB 2).
    var navigation: (nav: String?, ncx: String?) {
        let nav = items.values.first { $0.properties.contains("nav") }?.path.file
        let old = ncx.flatMap { items[$0] } ?? items.values.first { $0.mediaType == "application/x-dtbncx+xml" }
        return (nav, old?.path.file)
    }

    private mutating func set(_ name: String, _ value: String) {
        switch name {
        case "title": if title == nil { title = value }
        case "creator": if authors.count < 50 { authors.append(value) }
        case "language": if language == "und" { language = value }
        case "rights": if rights.isEmpty { rights = value }
        default: break
        }
    }

    private mutating func add(_ attributes: [String: String]) {
        guard let id = attributes["id"], let address = attributes["href"], items.count < 50_000 else { return }
        guard let file = EPUBPath(address, from: path) else {
            if refused.count < 100 { refused.append(address) }
            return
        }
        items[id] = Item(
            path: file, mediaType: attributes["media-type"] ?? "",
            properties: (attributes["properties"] ?? "").split(separator: " "))
    }
}

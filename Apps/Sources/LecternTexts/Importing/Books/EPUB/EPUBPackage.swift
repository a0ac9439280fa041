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

    init(_ bytes: [UInt8], path: String) throws {
        self.path = path
        let reader = MarkupReader(page: bytes)
        var text: String?
        var references: [(String, Bool)] = []
        while let token = try reader.next() {
            switch token {
            case .start(let tag):
                text = ["title", "creator", "language", "rights"].contains(tag.name) ? "" : nil
                switch tag.name {
                case "item": add(tag)
                case "itemref":
                    if let id = tag.attribute("idref"), references.count < 20_000 {
                        references.append((id, tag.attribute("linear") != "no"))
                    }
                case "spine":
                    ncx = tag.attribute("toc")
                    isRightToLeft = tag.attribute("page-progression-direction") == "rtl"
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

    private mutating func add(_ tag: MarkupTag) {
        guard let id = tag.attribute("id"), let address = tag.attribute("href"), items.count < 50_000 else { return }
        guard let file = EPUBPath(address, from: path) else {
            if refused.count < 100 { refused.append(address) }
            return
        }
        items[id] = Item(
            path: file, mediaType: tag.attribute("media-type") ?? "",
            properties: (tag.attribute("properties") ?? "").split(separator: " "))
    }
}

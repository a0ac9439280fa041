/// The titles of an EPUB's chapters, by the places where they begin.
struct EPUBTitles {
    /// The titles of a file's elements by id; that of the file itself by the empty id.
    private(set) var files: [String: [String: String]] = [:]

    /// Reads a navigation document (EPUB 3) or an NCX (EPUB 2).
    mutating func read(_ bytes: [UInt8], path: String) {
        var scanner = MarkupScanner(bytes)
        var isContents = true
        var address: String?
        var label: String?
        var labelText = ""
        while let event = scanner.next() {
            switch event {
            case .start(let name, let attributes):
                switch name {
                case "nav": isContents = (attributes["epub:type"] ?? "toc").split(separator: " ").contains("toc")
                case "pagelist", "navlist": isContents = false
                case "a":
                    address = attributes["href"]
                    label = ""
                case "navlabel": label = ""
                case "content": if isContents { add(attributes["src"], labelText, path) }
                default: break
                }
            case .text(let text): if label.map({ $0.utf8.count < 2_000 }) == true { label? += text }
            case .end(let name):
                switch name {
                case "nav", "pagelist", "navlist": isContents = name == "nav" ? false : true
                case "a":
                    if isContents, let label { add(address, label, path) }
                    label = nil
                case "navlabel":
                    labelText = label ?? ""
                    label = nil
                default: break
                }
            }
        }
    }

    private mutating func add(_ address: String?, _ label: String, _ path: String) {
        let title = label.collapsed
        guard !title.isEmpty, files.count < 20_000, let address, let target = EPUBPath(address, from: path) else {
            return
        }
        let fragment = target.fragment ?? ""
        if files[target.file]?[fragment] == nil { files[target.file, default: [:]][fragment] = title }
    }
}

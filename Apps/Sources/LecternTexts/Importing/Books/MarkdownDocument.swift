import CMark

/// A parsed document of cmark. Frees it at the end.
final class MarkdownDocument {
    /// A node of the document, valid as long as the document.
    typealias Node = OpaquePointer

    private let root: Node

    init?(_ text: Substring) {
        var text = text
        let root = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                cmark_parse_document($0.baseAddress, $0.count, CMARK_OPT_VALIDATE_UTF8)
            }
        }
        guard let root else { return nil }
        self.root = root
    }

    deinit { cmark_node_free(root) }

    /// The headings at the outermost level.
    var headings: [(level: Int, text: String)] {
        var headings: [(level: Int, text: String)] = []
        var child = cmark_node_first_child(root)
        while let node = child {
            if cmark_node_get_type(node) == CMARK_NODE_HEADING {
                headings.append((Int(cmark_node_get_heading_level(node)), Self.plainText(node)))
            }
            child = cmark_node_next(node)
        }
        return headings
    }

    /// Passes each node when it is entered and, if it may have children, left.
    func forEachEvent(_ body: (Node, Bool) throws -> Void) throws {
        guard let iterator = cmark_iter_new(root) else { return }
        defer { cmark_iter_free(iterator) }
        while true {
            let event = cmark_iter_next(iterator)
            guard event != CMARK_EVENT_DONE, let node = cmark_iter_get_node(iterator) else { return }
            try body(node, event == CMARK_EVENT_ENTER)
        }
    }

    /// The text of a node itself.
    static func literal(_ node: Node) -> String {
        guard let text = cmark_node_get_literal(node) else { return "" }
        return String(cString: text)
    }

    /// The text of a node and what it contains, without formatting.
    static func plainText(_ node: Node) -> String {
        guard let iterator = cmark_iter_new(node) else { return "" }
        defer { cmark_iter_free(iterator) }
        var text = ""
        while true {
            let event = cmark_iter_next(iterator)
            guard event != CMARK_EVENT_DONE, let inner = cmark_iter_get_node(iterator) else { break }
            guard event == CMARK_EVENT_ENTER else { continue }
            switch cmark_node_get_type(inner) {
            case CMARK_NODE_TEXT, CMARK_NODE_CODE: text += literal(inner)
            case CMARK_NODE_SOFTBREAK, CMARK_NODE_LINEBREAK: text += " "
            default: break
            }
        }
        return text.collapsed
    }
}

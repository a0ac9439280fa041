import CMark

/// Turns the nodes of a Markdown document into chapters.
struct MarkdownReader {
    private let chapterLevel: Int
    private let title: String?
    private var chapters: BookChapters
    private var inlines: [Inline] = []
    private var styles: [TextStyle] = [[]]
    private var quotes = 0
    /// The open lists: the next number, or `nil` for bullets.
    private var lists: [Int?] = []
    private var marker: String?
    /// The number of pieces of raw HTML that were dropped.
    private(set) var droppedHTML = 0

    init(chapterLevel: Int, title: String?, _ receive: @escaping (TextPart) throws -> Void) {
        self.chapterLevel = chapterLevel
        self.title = title
        chapters = BookChapters(receive)
    }

    /// Ends the last chapter. Returns the number of chapters.
    mutating func finish() throws -> Int {
        try chapters.end()
        return chapters.count
    }

    mutating func read(_ node: MarkdownDocument.Node, isEntering: Bool) throws {
        switch cmark_node_get_type(node) {
        case CMARK_NODE_HEADING:
            if isEntering { inlines = [] } else { try heading(node) }
        case CMARK_NODE_PARAGRAPH:
            if isEntering { inlines = [] } else { paragraph() }
        case CMARK_NODE_BLOCK_QUOTE: quotes += isEntering ? 1 : -1
        case CMARK_NODE_LIST:
            if isEntering {
                lists.append(
                    cmark_node_get_list_type(node) == CMARK_ORDERED_LIST ? Int(cmark_node_get_list_start(node)) : nil)
            } else if !lists.isEmpty {
                lists.removeLast()
            }
        case CMARK_NODE_ITEM: item(isEntering)
        case CMARK_NODE_CODE_BLOCK:
            let lines = MarkdownDocument.literal(node).split(separator: "\n", omittingEmptySubsequences: false)
            var code: [Inline] = []
            for line in lines.last?.isEmpty == true ? lines.dropLast() : lines[...] {
                if !code.isEmpty { code.append(.lineBreak) }
                code.append(.text(String(line), .code))
            }
            chapters.append(.preformatted, [code])
        case CMARK_NODE_THEMATIC_BREAK: if chapters.hasText { chapters.append(Block(.rule)) }
        case CMARK_NODE_HTML_BLOCK, CMARK_NODE_HTML_INLINE: droppedHTML += 1
        case CMARK_NODE_TEXT: append(MarkdownDocument.literal(node), style)
        case CMARK_NODE_CODE: append(MarkdownDocument.literal(node), style.union(.code))
        case CMARK_NODE_SOFTBREAK: append(" ", style)
        case CMARK_NODE_LINEBREAK: inlines.append(.lineBreak)
        case CMARK_NODE_EMPH: restyle(.emphasis, isEntering)
        case CMARK_NODE_STRONG: restyle(.strong, isEntering)
        default: break
        }
    }

    private var style: TextStyle { styles.last ?? [] }

    private mutating func append(_ text: String, _ style: TextStyle) {
        inlines.append(.text(text.collapsedInside, style))
    }

    private mutating func restyle(_ more: TextStyle, _ isEntering: Bool) {
        if isEntering { styles.append(style.union(more)) } else if styles.count > 1 { styles.removeLast() }
    }

    private mutating func item(_ isEntering: Bool) {
        guard isEntering, let last = lists.last else {
            marker = nil
            return
        }
        if let number = last {
            marker = "\(number)."
            lists[lists.count - 1] = number &+ 1
        } else {
            marker = "•"
        }
    }

    private mutating func paragraph() {
        let inlines = inlines.tidied
        if !lists.isEmpty {
            // Further paragraphs of an item have no marker.
            chapters.append(.listItem(level: min(lists.count, 6), marker: marker ?? ""), [inlines])
            marker = ""
        } else {
            chapters.append(quotes > 0 ? .quotation : .paragraph, [inlines])
        }
        self.inlines = []
    }

    private mutating func heading(_ node: MarkdownDocument.Node) throws {
        let level = Int(cmark_node_get_heading_level(node))
        let text = MarkdownDocument.plainText(node)
        let inlines = inlines.tidied
        self.inlines = []
        guard quotes == 0, lists.isEmpty, level <= chapterLevel else {
            if inlines.hasText { chapters.append(Block(.heading(level: level), [Fragment(verse: nil, inlines)])) }
            return
        }
        if level < chapterLevel, text == title {
            try chapters.begin(nil)
        } else {
            try chapters.begin(text)
        }
    }
}

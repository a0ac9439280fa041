import Foundation

/// Imports an installed SWORD module that is a Bible, by the program `mod2imp`.
public struct SwordImporter: TextImporting {
    private let module: String
    private let text: TextDescription
    private let program: String
    private let environment: [String: String]
    private let stall: Double

    /// Creates an importer of a module.
    ///
    /// - Parameters:
    ///   - module: The module's name, such as `engKJV2006eb`.
    ///   - text: The description. The module's own values fill what is empty or `und`.
    ///   - program: The name or the path of `mod2imp`.
    ///   - environment: The environment in which the program is found and runs. `SWORD_PATH` names more modules.
    ///   - stall: The seconds without output after which the program counts as failed.
    public init(
        module: String, text: TextDescription, program: String = "mod2imp", environment: [String: String],
        stall: Double = 60
    ) {
        self.module = module
        self.text = text
        self.program = program
        self.environment = environment
        self.stall = stall
    }

    /// Reads the text.
    public func read(_ receive: (TextPart) throws -> Void) throws {
        guard !module.isEmpty, module.utf8.count <= 100, module.first != "-",
            module.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") })
        else {
            throw TextImportError(.unreadable, "'\(module.prefix(40))' is no name of a module, such as 'engKJV2006eb'.")
        }
        let described = SwordModule.find(module, environment: environment)
        try check(described)
        let child = try ChildOutput(program, [module], environment: environment, stall: stall)
        defer { child.stop() }
        let values = described?.values ?? [:]
        var composer = SwordComposer(
            described?.describe(text) ?? text, markup: SwordComposer.Markup(values["sourcetype"] ?? "OSIS"),
            isLatin: values["encoding"]?.lowercased() == "latin-1")
        composer.marksQuotations = values["osisqtotick"]?.lowercased() != "false"
        var entries = SwordEntryReader { try child.next() }
        var others = 0
        while let entry = try entries.next() {
            if let key = SwordKey(entry.key) {
                try composer.handle(key, entry.content)
                for part in try composer.takeParts() {
                    try Task.checkCancellation()
                    try receive(part)
                }
            } else if entry.key.first != "[" {
                others += 1
            }
        }
        try check(child.finish(), hasVerses: composer.hasVerses, others: others)
        for part in try composer.finish() { try receive(part) }
    }

    private func check(_ described: SwordModule?) throws {
        let kind: String
        switch described?.kind {
        case .commentary: kind = "a commentary"
        case .dictionary: kind = "a dictionary"
        case .book: kind = "a general book"
        case .bible, .unknown, nil: return
        }
        throw TextImportError(
            .unknownFormat, "The module '\(module)' is \(kind), not a Bible. Choose a module with a Bible.")
    }

    private func check(_ end: (succeeded: Bool, messages: String), hasVerses: Bool, others: Int) throws {
        if end.messages.contains("find module") {
            throw TextImportError(
                .unreadable, "There is no SWORD module '\(module)'. Check the name, or install the module.",
                cause: end.messages)
        }
        guard end.succeeded else {
            throw TextImportError(
                .toolFailed, "The module '\(module)' cannot be read to its end. Install it again.", cause: end.messages)
        }
        if !hasVerses, others > 0 {
            throw TextImportError(
                .unknownFormat, "The module '\(module)' has no verses; it is no Bible. Choose a module with a Bible.")
        }
        if !hasVerses {
            throw TextImportError(
                .damaged, "The module '\(module)' has no text; its data files are missing or damaged. Install it again.",
                cause: end.messages)
        }
    }
}

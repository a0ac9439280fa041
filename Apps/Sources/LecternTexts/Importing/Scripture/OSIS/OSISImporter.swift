public import Foundation

/// Imports a Bible from an OSIS document (`*.osis.xml`, `*.xml`).
public struct OSISImporter: TextImporting {
    private let url: URL
    private let text: TextDescription

    /// Creates an importer of a file.
    ///
    /// - Parameter text: The description to begin with. Its title, language, direction, versification and rights are
    ///   replaced by those of the file's header where they are empty or `und`.
    public init(_ url: URL, text: TextDescription) {
        self.url = url
        self.text = text
    }

    /// Reads the text.
    public func read(_ receive: (TextPart) throws -> Void) throws {
        let reader = MarkupReader(.document(), source: try ByteSource.file(url))
        var composer = OSISComposer(text)
        var isOSIS = false
        while let token = try reader.next() {
            if !isOSIS, case .start(let tag) = token {
                guard tag.name == "osis" || tag.name == "osisText" else {
                    throw TextImportError(
                        .unknownFormat, "The file's root element is '\(tag.name)', not 'osis'. Choose an OSIS document.")
                }
                isOSIS = true
            }
            if case .end = token {
                composer.handle(token)
                try drain(&composer, reader, receive)
            } else {
                composer.handle(token)
            }
        }
        composer.endFragment()
        composer.finishDescription()
        try composer.builder.end()
        try drain(&composer, reader, receive)
    }

    private func drain(
        _ composer: inout OSISComposer, _ reader: MarkupReader, _ receive: (TextPart) throws -> Void
    ) throws {
        guard composer.builder.needsDrain else { return }
        composer.builder.place = "line \(reader.line)"
        for part in try composer.builder.takeParts() {
            try Task.checkCancellation()
            try receive(part)
        }
    }
}

extension OSISComposer {
    /// Derives from the language what the header does not say.
    mutating func finishDescription() {
        if ScriptureLanguage.direction(builder.text.language) == .rightToLeft { builder.text.direction = .rightToLeft }
        if builder.text.title.isEmpty { builder.text.title = builder.text.abbreviation }
    }
}

import Foundation
public import Hummingbird
import Mustache

/// The templates of an app's pages: the `*.mustache` files of its ``Assets``.
///
/// A template's name is its path without the ending. A page inherits a layout:
///
/// ```mustache
/// {{<layout}}
/// {{$title}}Sift{{/title}}
/// {{$main}}<h1>{{heading}}</h1><link rel="stylesheet" href="{{asset sift.css}}">{{/main}}
/// {{/layout}}
/// ```
///
/// `{{asset PATH}}` becomes the address of an asset, and `{{slot NAME}}` a ``Markup`` that the program passes. Everything
/// else is Mustache with escaped values only: templates with `{{{ }}}`, `{{& }}`, other delimiters, inline scripts or
/// styles, values outside of quotes in a tag, or unknown partials are refused when the program starts.
///
/// A template named `problem` shows problems: `status`, `code`, `title` and `detail`. There is a plain one by default.
public struct Pages: Sendable {
    private let library: MustacheLibrary
    private let names: Set<String>
    /// The start of every slot's place. It is random, so that a user's text never holds a place.
    private let slotStart: String

    /// Compiles the templates of assets.
    ///
    /// - Throws: ``PageError`` with all faults of all templates.
    public init(_ assets: Assets) throws(PageError) {
        try self.init(templates: assets.templates, address: assets.address)
    }

    init(templates: [String: String], address: @escaping (String) -> String?) throws(PageError) {
        var faults: [String] = []
        var compiled: [String: MustacheTemplate] = [:]
        let slotStart = "\u{E000}" + AccessToken().value + "\u{E001}"
        let templates = templates.merging(["problem": Self.problemTemplate]) { own, _ in own }
        for (name, text) in templates.sorted(by: { $0.key < $1.key }) {
            var lint = TemplateLint(name: name, templates: Set(templates.keys), address: address) {
                slotStart + $0 + "\u{E002}"
            }
            let source = lint.check(text)
            faults += lint.faults
            do {
                compiled[name] = try MustacheTemplate(string: source)
            } catch {
                faults.append("\(name): \(error)")
            }
        }
        guard faults.isEmpty else { throw PageError(faults: faults) }
        library = MustacheLibrary(templates: compiled)
        names = Set(compiled.keys)
        self.slotStart = slotStart
    }

    /// Returns a page as HTML.
    ///
    /// - Parameters:
    ///   - name: The template's name.
    ///   - model: The values of the page, such as a structure or a dictionary. It is read by reflection, once, so pass a
    ///     value and not an observed object.
    ///   - slots: The markup of the template's slots, by name. A slot without one is empty. Default: none.
    /// - Throws: ``PageError`` if there is no such template.
    public func html(
        _ name: String, _ model: some Sendable, slots: [String: Markup] = [:]
    ) throws(PageError) -> String {
        guard names.contains(name), let values = TemplateValues.of(model),
            let html = library.render(values, withTemplate: name)
        else {
            throw PageError(faults: ["There is no template '\(name)'."])
        }
        return filled(html, slots)
    }

    private func filled(_ html: String, _ slots: [String: Markup]) -> String {
        var result = ""
        result.reserveCapacity(slots.values.reduce(html.utf8.count) { $0 + $1.html.utf8.count })
        var (rest, searched) = (html[...], html.startIndex)
        // The first byte of a place is rare, so a search for it is much faster than one for the whole start.
        while let lead = slotStart.utf8.first, let start = rest.utf8[searched...].firstIndex(of: lead) {
            guard rest.utf8[start...].starts(with: slotStart.utf8) else {
                searched = html.utf8.index(after: start)
                continue
            }
            result += rest[..<start]
            let name = html.utf8.index(start, offsetBy: slotStart.utf8.count)
            // Scalars and not characters: a mark that follows the end would belong to its character.
            let end = html.unicodeScalars[name...].firstIndex(of: "\u{E002}") ?? html.endIndex
            result += slots[String(html[name..<end])]?.html ?? ""
            rest = end == html.endIndex ? "" : html[html.unicodeScalars.index(after: end)...]
            searched = rest.startIndex
            if rest.isEmpty { return result }
        }
        return result + rest
    }

    /// Returns a page as a response that is not cached.
    ///
    /// - Parameters:
    ///   - name: The template's name.
    ///   - model: The values of the page.
    ///   - slots: The markup of the template's slots, by name. Default: none.
    ///   - status: The status. Default: 200.
    /// - Throws: ``PageError`` if there is no such template.
    public func page(
        _ name: String, _ model: some Sendable, slots: [String: Markup] = [:], status: HTTPResponse.Status = .ok
    ) throws(PageError) -> Response {
        Response(
            status: status, headers: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: try html(name, model, slots: slots))))
    }
}

/// The faults of an app's templates. They are errors of the program.
public struct PageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One sentence for each fault, beginning with the template's name.
    public let faults: [String]

    /// All faults, one a line.
    public var description: String { faults.joined(separator: "\n") }
}

import NIOSSL

/// A certificate that a server shows: when it holds, whose it is, and who signed it.
struct ShownCertificate: Sendable, Hashable {
    /// From when on it holds, in seconds since 1970.
    let begins: Int
    /// Until when.
    let ends: Int
    /// Whose it is, as it stands there (DER); empty where it cannot be read.
    let subject: [UInt8]
    /// Who signed it.
    let issuer: [UInt8]

    init(begins: Int, ends: Int, subject: [UInt8], issuer: [UInt8]) {
        self.begins = begins
        self.ends = ends
        self.subject = subject
        self.issuer = issuer
    }

    init(_ certificate: NIOSSLCertificate) throws {
        let names = Self.names(in: try certificate.toDERBytes())
        self.init(
            begins: Int(certificate.notValidBefore), ends: Int(certificate.notValidAfter),
            subject: names?.subject ?? [], issuer: names?.issuer ?? [])
    }

    func holds(at now: Int) -> Bool { begins <= now && now <= ends }

    /// The two names in a certificate (RFC 5280, 4.1), which the library does not tell; `nil` where it is none.
    static func names(in certificate: [UInt8]) -> (subject: [UInt8], issuer: [UInt8])? {
        var rest = certificate[...]
        guard let outer = element(&rest), var signed = element(in: outer)?.content,
            var field = element(&signed)
        else { return nil }
        // A version may stand before the number.
        if field.tag == 0xA0 {
            guard let number = element(&signed) else { return nil }
            field = number
        }
        guard field.tag == 0x02, element(&signed) != nil, let issuer = element(&signed), element(&signed) != nil,
            let subject = element(&signed), issuer.tag == 0x30, subject.tag == 0x30
        else { return nil }
        return (Array(subject.content), Array(issuer.content))
    }

    /// A thing in DER: what it is, and its content.
    private typealias Element = (tag: UInt8, content: ArraySlice<UInt8>)

    private static func element(in outer: Element) -> Element? {
        var rest = outer.content
        return element(&rest)
    }

    /// Takes the next thing off some bytes.
    private static func element(_ rest: inout ArraySlice<UInt8>) -> Element? {
        guard let tag = rest.popFirst(), let first = rest.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            let digits = rest.prefix(Int(first & 0x7F))
            guard (1...4).contains(digits.count), digits.count == Int(first & 0x7F) else { return nil }
            length = digits.reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(digits.count)
        }
        guard length <= rest.count else { return nil }
        defer { rest = rest.dropFirst(length) }
        return (tag, rest.prefix(length))
    }
}

import CZip
import Foundation
import Testing

/// Writes an EPUB of files for tests.
struct MadeEPUB {
    var files: [(name: String, bytes: [UInt8])] = []

    /// A book of two chapters with a footnote, and either kind of contents.
    static func book(version: Int = 3, body: String? = nil) -> MadeEPUB {
        var epub = MadeEPUB()
        epub.add("mimetype", "application/epub+zip")
        epub.add(
            "META-INF/container.xml",
            """
            <?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
            <rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
            """)
        epub.add(
            "OEBPS/book.opf",
            """
            <package xmlns:dc="x"><metadata><dc:title>A &amp; B</dc:title><dc:creator>Ann</dc:creator>
            <dc:language>en</dc:language><dc:rights>Free</dc:rights></metadata><manifest>
            <item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>
            <item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>
            <item id="a" href="text/a%20b.xhtml" media-type="application/xhtml+xml"/>
            <item id="n" href="text/notes.xhtml" media-type="application/xhtml+xml"/>
            <item id="bad" href="../../etc/passwd" media-type="application/xhtml+xml"/>
            <item id="far" href="https://example.org/x.xhtml" media-type="application/xhtml+xml"/>
            </manifest><spine toc="ncx"><itemref idref="nav"/><itemref idref="a"/><itemref idref="n"/>
            <itemref idref="bad"/><itemref idref="far"/></spine></package>
            """)
        if version == 3 {
            epub.add(
                "OEBPS/nav.xhtml",
                """
                <html><body><nav epub:type="toc"><ol><li><a href="text/a%20b.xhtml">One</a></li>
                <li><a href="text/a%20b.xhtml#two">Two</a></li></ol></nav>
                <nav epub:type="page-list"><ol><li><a href="text/a%20b.xhtml#p9">9</a></li></ol></nav></body></html>
                """)
        } else {
            epub.add(
                "OEBPS/toc.ncx",
                """
                <ncx><navMap><navPoint><navLabel><text>One</text></navLabel><content src="text/a%20b.xhtml"/></navPoint>
                <navPoint><navLabel><text>Two</text></navLabel><content src="text/a%20b.xhtml#two"/></navPoint></navMap></ncx>
                """)
        }
        epub.add(
            "OEBPS/text/a b.xhtml",
            body ?? """
                <?xml version="1.0"?><!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY b "bomb">]>
                <html><head><title>no</title></head><body><h1>One</h1>
                <p>Caf&eacute;&nbsp;<i>now</i> &x;&b;<a epub:type="noteref" href="notes.xhtml#f1">1</a>.<script>bad()</script>
                <span id="p9"/>More</p>
                <blockquote><p>Said.</p></blockquote><ul><li>x</li></ul><ol start="3"><li>y</li></ol>
                <img src="https://example.org/i.png" alt="A picture"/><table><tr><td>1</td><td><p>2</p><p>b</p></td></tr></table>
                <pre>a
                  b</pre><h2 id="two">Two</h2><p>Next<br/>line</p></body></html>
                """)
        epub.add(
            "OEBPS/text/notes.xhtml",
            "<html><body><aside epub:type='footnote' id='f1'><p>The <b>note</b>. <a role='doc-backlink'>back</a></p></aside></body></html>"
        )
        return epub
    }

    mutating func add(_ name: String, _ text: String) { add(name, Array(text.utf8)) }

    mutating func add(_ name: String, _ bytes: [UInt8]) {
        files.removeAll { $0.name == name }
        files.append((name, bytes))
    }

    /// Writes the archive, passes its path, and removes it.
    func write<Result>(_ body: (String) throws -> Result) throws -> Result {
        try withTemporaryFile([], name: "book.epub") { path in
            var code: Int32 = 0
            let archive = try #require(zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code))
            for file in files {
                let copy = try #require(malloc(max(1, file.bytes.count)))
                file.bytes.withUnsafeBytes { bytes in
                    if let base = bytes.baseAddress { memcpy(copy, base, bytes.count) }
                }
                let source = try #require(zip_source_buffer(archive, copy, zip_uint64_t(file.bytes.count), 1))
                #expect(zip_file_add(archive, file.name, source, zip_flags_t(ZIP_FL_ENC_UTF_8)) >= 0)
            }
            #expect(zip_close(archive) == 0)
            return try body(path)
        }
    }
}

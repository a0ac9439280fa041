import Foundation
import HablarePersistence
import Testing

@testable import SiftCore

struct XMPSidecarTests {
    private static let darktable = """
        <?xml version="1.0" encoding="UTF-8"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="XMP Core 4.4.0-Exiv2">
         <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
          <rdf:Description rdf:about=""
            xmlns:xmp="http://ns.adobe.com/xap/1.0/"
            xmlns:darktable="http://darktable.sf.net/"
           xmp:Rating="1"
           darktable:history_end='3'
           >
           <!-- xmp:Rating="2" -->
           <darktable:masks><rdf:Seq><rdf:li darktable:name="&lt;a &amp; b>"/></rdf:Seq></darktable:masks>
          </rdf:Description>
         </rdf:RDF>
        </x:xmpmeta>
        """
    private static let elements = """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
        <rdf:Description rdf:about="" xmlns:xap="http://ns.adobe.com/xap/1.0/" xmlns:f="urn:f">\
        <xap:Rating>2</xap:Rating><f:Rating>9</f:Rating><xap:Label>Green &amp; blue</xap:Label>\
        </rdf:Description></rdf:RDF></x:xmpmeta>
        """

    private func sidecar(_ text: String) throws -> XMPSidecar { try XMPSidecar(Array(text.utf8)) }
    private func text(_ sidecar: XMPSidecar) -> String { String(decoding: sidecar.bytes, as: UTF8.self) }

    @Test func changesAnAttributeAndNothingElse() throws {
        var sidecar = try sidecar(Self.darktable)
        #expect(try sidecar.value(of: .rating) == "1")
        try sidecar.set(.rating, to: "-1")
        #expect(
            text(sidecar)
                == Self.darktable.replacingOccurrences(of: "xmp:Rating=\"1\"", with: "xmp:Rating=\"-1\""))
    }

    @Test func changesAnElementUnderAnotherPrefixAndNothingElse() throws {
        var sidecar = try sidecar(Self.elements)
        #expect(try sidecar.value(of: .rating) == "2")
        #expect(try sidecar.value(of: .label) == "Green & blue")
        try sidecar.set(.rating, to: "5")
        try sidecar.set(.label, to: "a<b>\"c\"")
        #expect(try sidecar.value(of: .label) == "a<b>\"c\"")
        #expect(text(sidecar).contains("<xap:Rating>5</xap:Rating><f:Rating>9</f:Rating>"))
        try sidecar.set(.rating, to: nil)
        try sidecar.set(.label, to: nil)
        #expect(text(sidecar).contains("xmlns:f=\"urn:f\"><f:Rating>9</f:Rating></rdf:Description>"))
    }

    @Test func addsWhatIsMissing() throws {
        for start in [XMPSidecar(), try sidecar(Self.darktable), try sidecar(Self.elements)] {
            var sidecar = start
            for (property, value) in [(XMPSidecar.Property.pick, "3"), (.label, "Red"), (.rating, "4")] {
                try sidecar.set(property, to: value)
                #expect(try XMPSidecar(sidecar.bytes).value(of: property) == value)
            }
            try sidecar.set(.pick, to: nil)
            #expect(try sidecar.value(of: .pick) == nil && sidecar.value(of: .label) == "Red")
        }
    }

    @Test func changesNothingWhereTheValueIsTheSame() throws {
        var sidecar = try sidecar(Self.darktable)
        try sidecar.set(.rating, to: "1")
        try sidecar.set(.label, to: nil)
        #expect(text(sidecar) == Self.darktable)
    }

    @Test(arguments: [
        "", "text", "<a>", "<a></b>", "<a b></a>", "<!DOCTYPE a [<!ENTITY x 'y'>]><a/>", "<a/>", "<a b='c></a>",
        "<a", "</a>", "<!-- <a/>", "<a b=\"1\"c=\"2\"/>",
    ]) func refusesWhatIsNoXMP(_ text: String) {
        #expect(throws: PhotoProcessingError.self) { try XMPSidecar(Array(text.utf8)) }
    }

    private static let nested = """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
        <rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:m="urn:m">\
        <m:Pantry><rdf:Bag><rdf:li><rdf:Description xmp:Rating="2"><xmp:Label>Green</xmp:Label></rdf:Description>\
        </rdf:li></rdf:Bag></m:Pantry></rdf:Description></rdf:RDF></x:xmpmeta>
        """

    @Test func leavesThePropertiesOfIngredientsAlone() throws {
        var sidecar = try sidecar(Self.nested)
        #expect(try sidecar.value(of: .rating) == nil && sidecar.value(of: .label) == nil)
        try sidecar.set(.rating, to: nil)
        try sidecar.set(.label, to: nil)
        #expect(text(sidecar) == Self.nested)
        try sidecar.set(.rating, to: "5")
        #expect(try sidecar.value(of: .rating) == "5")
        #expect(
            text(sidecar)
                == Self.nested.replacingOccurrences(
                    of: "<rdf:Description rdf:about", with: "<rdf:Description xmp:Rating=\"5\" rdf:about"))
        try sidecar.set(.rating, to: nil)
        #expect(text(sidecar) == Self.nested)
    }

    @Test(arguments: ["<xap:Rating/>", "<xap:Rating />", "<xap:Rating></xap:Rating>"])
    func fillsAnEmptyElement(_ element: String) throws {
        let start = Self.elements.replacingOccurrences(of: "<xap:Rating>2</xap:Rating>", with: element)
        var sidecar = try sidecar(start)
        #expect(try sidecar.value(of: .rating) == "")
        try sidecar.set(.rating, to: "5")
        #expect(try sidecar.value(of: .rating) == "5")
        #expect(!text(sidecar).contains("Rating="), "No second property is added.")
        try sidecar.set(.rating, to: nil)
        #expect(text(sidecar) == Self.elements.replacingOccurrences(of: "<xap:Rating>2</xap:Rating>", with: ""))
    }

    @Test func survivesEveryTruncation() throws {
        let bytes = Array(Self.darktable.utf8)
        for count in 0..<bytes.count {
            #expect(throws: PhotoProcessingError.self) { try XMPSidecar(Array(bytes[..<count])) }
        }
    }
}

struct SidecarWriterTests {
    private func store(_ names: String...) async throws -> TestStore {
        let store = try await TestStore(names: names.isEmpty ? ["a.jpg"] : names)
        try await store.setWritesSidecars(true)
        return store
    }

    @Test func describesNoStrangerOfTheSameName() async throws {
        let store = try await TestStore("a.jpg")
        let (id, photo) = (store.library.id, try await store.photo("a.jpg"))
        try await store.database.write { try PhotoStore().setWritesSidecars(true, of: id, in: $0) }
        try await store.running(store.processor()) { processor in
            try await processor.decide(DecisionRequest(photo, kind: .rating, rating: 5), session: store.session)
            try FileManager.default.removeItem(at: store.test.photos.appending(path: "a.jpg"))
            try store.test.add("a.jpg", "a stranger")
            try await processor.flush()
        }
        #expect(store.test.names(store.test.photos) == ["a.jpg"])
        #expect(try await store.history().map(\.failure) == [.photoChanged])
    }

    @Test func createsASidecarAndLeavesTheOriginalAlone() async throws {
        let store = try await store()
        let before = try await store.photo("a.jpg").principal
        try await store.decide("a.jpg", .rating, rating: -1)
        let sidecar = try XMPSidecar(Array(store.test.contents("a.jpg.xmp").utf8))
        #expect(try sidecar.value(of: .rating) == "-1")
        #expect(try store.test.file(before.path) == before)
        #expect(store.test.names(store.test.photos) == ["a.jpg", "a.jpg.xmp"], "No temporary file is left.")
    }

    @Test(arguments: ["a.xmp", "a.jpg.xmp"]) func updatesTheSidecarThatExists(_ name: String) async throws {
        let store = try await store()
        var old = XMPSidecar()
        try old.set(.label, to: "Blue")
        try store.test.add(name, String(decoding: old.bytes, as: UTF8.self))
        try await store.scan()
        try await store.decide("a.jpg", .favourite)
        let new = try XMPSidecar(Array(store.test.contents(name).utf8))
        #expect(try new.value(of: .pick) == "3" && new.value(of: .label) == "Blue")
        #expect(store.test.names(store.test.photos) == ["a.jpg", name].sorted())
    }

    @Test func leavesTheSidecarOfAnotherPhotoAlone() async throws {
        let store = try await store("a.jpg", "a.png")
        try store.setByAnotherProgram(.rating, to: "4", in: "a.xmp")
        try await store.scan()
        try #require(try await store.photo("a.jpg").files.map(\.role) == [.jpeg, .sidecar])
        try await store.decide("a.png", .rating, rating: 1)
        #expect(try store.value(.rating, in: "a.xmp") == "4")
        #expect(try store.value(.rating, in: "a.png.xmp") == "1")
        try await store.decide("a.jpg", .rating, rating: 5)
        #expect(try store.value(.rating, in: "a.xmp") == "5" && !store.test.exists("a.jpg.xmp"))
    }

    @Test func updatesTheSidecarOfTheOnlyPictureOfItsName() async throws {
        let store = try await store("a.png")
        try store.setByAnotherProgram(.label, to: "Blue", in: "a.xmp")
        try await store.scan()
        try await store.decide("a.png", .rating, rating: 1)
        #expect(try store.value(.rating, in: "a.xmp") == "1" && store.value(.label, in: "a.xmp") == "Blue")
    }

    @Test func undoesWhatItWrote() async throws {
        let store = try await store()
        try await store.decide("a.jpg", .rating, rating: 3)
        try await store.running(store.processor()) { processor in
            try await processor.undo(of: store.library.id)
            try await processor.flush()
        }
        #expect(try XMPSidecar(Array(store.test.contents("a.jpg.xmp").utf8)).value(of: .rating) == nil)
    }

    @Test func writesNoSidecarUnlessItIsSwitchedOn() async throws {
        let store = try await TestStore("a.jpg")
        let photo = try await store.photo("a.jpg")
        try await store.running(store.processor()) { processor in
            try await processor.decide(DecisionRequest(photo, kind: .rating, rating: 3), session: store.session)
            try await processor.flush()
        }
        #expect(store.test.names(store.test.photos) == ["a.jpg"])
    }

    @Test func trashesTheSidecarThatItWroteBeforeAScanSawIt() async throws {
        let store = try await store()
        try await store.decide("a.jpg", .rating, rating: 2)
        let photo = try await store.photo("a.jpg")
        #expect(photo.files.count == 1)
        try await store.running(store.processor()) { processor in
            try await processor.decide(DecisionRequest(photo, kind: .trash), session: store.session)
            try await processor.flush()
            #expect(store.test.trashed == ["a.jpg", "a.jpg.xmp"])
            try await processor.undo(of: store.library.id)
            try await processor.flush()
        }
        #expect(store.test.names(store.test.photos) == ["a.jpg", "a.jpg.xmp"])
    }
}

/// Asks the reference program for metadata what a change has changed.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/exiftool"))) struct ExifToolTests {
    private func properties(_ url: URL) throws -> Set<String> {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/exiftool")
        process.arguments = ["-G1", "-a", "-s", "-XMP:all", url.path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return Set(text.split(separator: "\n").map(String.init))
    }

    private static let head = """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        """
    private static let end = "</rdf:RDF></x:xmpmeta>"

    /// Sidecars in the forms that programs write.
    static let foreign: [String: String] = [
        "attributes, as Lightroom writes": """
        \(head)<rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Rating="1"
         xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:crs="http://ns.adobe.com/camera-raw-settings/1.0/"
         crs:Exposure2012="+0.35"><dc:subject><rdf:Bag><rdf:li>sea</rdf:li><rdf:li>a &amp; b</rdf:li></rdf:Bag>
        </dc:subject></rdf:Description>\(end)
        """,
        "a history, as darktable writes": """
        <?xml version="1.0" encoding="UTF-8"?>
        \(head)<rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
         xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/" xmlns:darktable="http://darktable.sf.net/"
         xmp:Rating="3" xmpMM:DerivedFrom="IMG_1.CR2" darktable:xmp_version="5" darktable:history_end="2">
        <darktable:history><rdf:Seq><rdf:li darktable:num="0" darktable:operation="exposure"
         darktable:params="gz02eJ&lt;x&gt;"/></rdf:Seq></darktable:history></rdf:Description>\(end)
        """,
        "elements and a packet, as digiKam writes": """
        <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
        \(head)<rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
         xmlns:digiKam="http://www.digikam.org/ns/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
        <xmp:Rating>2</xmp:Rating><xmp:Label>Blue</xmp:Label><digiKam:PickLabel>1</digiKam:PickLabel>
        <digiKam:TagsList><rdf:Seq><rdf:li>Places/Sea</rdf:li></rdf:Seq></digiKam:TagsList>
        <dc:title><rdf:Alt><rdf:li xml:lang="x-default">Grüße \u{1F30A}</rdf:li></rdf:Alt></dc:title>
        </rdf:Description>\(end)
        <?xpacket end="w"?>
        """,
        "two descriptions, as exiv2 writes": """
        \(head)<rdf:Description rdf:about="" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
         photoshop:City="Łódź"/><rdf:Description rdf:about="" xmlns:a="http://ns.adobe.com/xap/1.0/" a:Rating="5"
         a:CreatorTool="x"/>\(end)
        """,
    ]

    @Test(arguments: foreign.keys.sorted()) func changesOnlyItsOwnProperties(_ form: String) throws {
        let test = try TestLibrary()
        let url = test.photos.appending(path: "a.xmp")
        let foreign = try #require(Self.foreign[form])
        try Data(foreign.utf8).write(to: url)
        let before = try properties(url)
        try #require(before.count >= 3)
        var sidecar = try XMPSidecar(Array(foreign.utf8))
        try sidecar.set(.rating, to: "-1")
        try sidecar.set(.label, to: "Red")
        try sidecar.set(.pick, to: "3")
        try Data(sidecar.bytes).write(to: url)
        let after = try properties(url)
        let changed = after.symmetricDifference(before)
        #expect(changed.allSatisfy { $0.contains("Rating") || $0.contains("Label") }, "\(changed)")
        #expect(after.contains { $0.contains("Rating") && $0.hasSuffix(": -1") })
        #expect(after.contains { $0.contains("PickLabel") && $0.hasSuffix(": 3") })
    }
}

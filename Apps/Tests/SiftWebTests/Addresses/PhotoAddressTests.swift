import SiftCore
import Testing

@testable import SiftWeb

@Suite("Addresses of photos")
struct PhotoAddressTests {
    @Test(
        "A version comes back from its text",
        arguments: [
            PhotoVersion(device: 0, inode: 0, size: 0, modified: 0),
            PhotoVersion(device: .max, inode: .max, size: .max, modified: .max),
            PhotoVersion(device: 3, inode: 77, size: 12, modified: -5), PhotoVersion.sample(9),
        ])
    func roundTrip(_ version: PhotoVersion) {
        let text = PhotoAddress.text(of: version)
        #expect(PhotoAddress.version(text) == version)
        #expect(text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "-") })
        #expect(text.count <= 128)
    }

    @Test(
        "Other texts are no versions", arguments: ["", "1.2.3", "1.2.3.4.5", "01.2.3.4", "a.b.c.Z", "1.2.3.+4", "../x"])
    func refuses(_ text: String) {
        #expect(PhotoAddress.version(text) == nil)
    }

    @Test("Only the sizes that pages use are offered") func offers() {
        #expect(PhotoAddress.isOffered(.screen(maximumEdge: PhotoState.cardEdge)))
        #expect(!PhotoAddress.isOffered(.screen(maximumEdge: 1234)))
    }
}

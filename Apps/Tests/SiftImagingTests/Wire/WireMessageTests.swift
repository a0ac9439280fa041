import Foundation
import SiftCore
import Testing

@testable import SiftImaging

/// Messages between the app and a worker that may be compromised.
struct WireMessageTests {
    private static let header = PhotoHeader(
        format: "jpeg", width: 6_000, height: 4_000, orientation: 6,
        captured: CaptureTime(localSeconds: 12.5, hasSubseconds: true, offsetFromUTC: -3_600), camera: "Acme 7",
        exposure: PhotoExposure(seconds: 0.5, sensitivity: 100, bias: -1), hasEmbeddedThumbnail: true, pages: 2,
        predictedBytes: 99, predictedReducedBytes: 9)

    private static let contents: [ImagingAnswer.Content] = [
        .failure(.tooLarge, "why"), .header(header),
        .header(PhotoHeader(format: "x", width: 1, height: 1, predictedBytes: 0)),
        .rendition(
            Rendition(
                bytes: Data([0xFF, 0xD8, 0xFF, 1]), mediaType: "image/jpeg", width: 3, height: 4, isEmbedded: true)),
        .rendition(
            Rendition(
                bytes: Data([0xFF, 0xD8, 0xFF, 1]), mediaType: "image/jpeg", width: 3, height: 4, isDamaged: true)),
        .features(
            PhotoFeatures(
                hash64: .init(bits: 1), hash256: .init(words: (1, 2, 3, .max)), sharpness: 1.5, isDamaged: true)),
        .thumbnailFile([1, 2, 3]),
    ]

    @Test(arguments: contents) func answersAreReadAsTheyWereWritten(content: ImagingAnswer.Content) throws {
        let answer = ImagingAnswer(job: 77, isLast: false, content)
        #expect(try ImagingAnswer(decoding: answer.encoded) == answer)
    }

    @Test(arguments: [ImagingRequest.Kind.header, .embedded, .rendition(edge: 512), .rendition(edge: 0), .features])
    func requestsAreReadAsTheyWereWritten(kind: ImagingRequest.Kind) throws {
        let request = ImagingRequest(job: .max, kind: kind, wantsThumbnailFile: true)
        #expect(try ImagingRequest(decoding: request.encoded) == request)
    }

    @Test func limitsAreReadAsTheyWereWritten() throws {
        let limits = ImagingLimits(maximumPixels: 5, maximumFullPixels: 6, memory: 7, processorSeconds: 8, threads: 3)
        #expect(try ImagingLimits(decoding: limits.encoded) == limits)
    }

    @Test(arguments: contents) func everyCutMessageIsAViolation(content: ImagingAnswer.Content) {
        let bytes = ImagingAnswer(job: 1, content).encoded
        for count in 0..<bytes.count {
            #expect(throws: WireViolation.self) { try ImagingAnswer(decoding: Array(bytes[..<count])) }
        }
        #expect(throws: WireViolation.self) { try ImagingAnswer(decoding: bytes + [0]) }
    }

    @Test(arguments: contents) func damagedMessagesNeverTrap(content: ImagingAnswer.Content) {
        var numbers = SeededNumbers(seed: 5)
        let bytes = ImagingAnswer(job: 1, content).encoded
        for _ in 0..<500 {
            do throws(WireViolation) { _ = try ImagingAnswer(decoding: Mutation.damage(bytes, &numbers)) } catch {
                #expect(!error.what.isEmpty)
            }
        }
    }

    @Test func bytesOfAnotherKindAreNoPicture() {
        let page = Rendition(bytes: Data("<script>".utf8), mediaType: "image/jpeg", width: 1, height: 1)
        let bytes = ImagingAnswer(job: 1, .rendition(page)).encoded
        #expect(throws: WireViolation.self) { try ImagingAnswer(decoding: bytes) }
    }

    @Test func anAnswerFitsItsQuestion() {
        let picture = Rendition(bytes: Data(), mediaType: "image/jpeg", width: 512, height: 300)
        let answer = ImagingAnswer(job: 1, .rendition(picture))
        #expect(answer.fits(.rendition(edge: 512), isFirst: false))
        #expect(answer.fits(.rendition(edge: 0), isFirst: true))
        #expect(!answer.fits(.rendition(edge: 256), isFirst: false))
        #expect(!answer.fits(.embedded, isFirst: false))
        #expect(!answer.fits(.header, isFirst: false))
        #expect(!ImagingAnswer(job: 1, .thumbnailFile([])).fits(.header, isFirst: false))
    }
}

import SiftCore
import Testing

@testable import SiftImaging

/// Reading the time that a camera wrote.
struct CaptureTimeTests {
    @Test(arguments: [
        ("1970:01:01 00:00:00", 0.0), ("2000:02:29 12:00:00", 951_825_600), ("1969:12:31 23:59:59", -1),
        ("2024-12-31T23:59:59", 1_735_689_599),
    ])
    func readsATime(text: String, seconds: Double) {
        #expect(EXIFBlock.time(text, subseconds: nil, offset: nil)?.localSeconds == seconds)
    }

    @Test(arguments: [
        "", "0000:00:00 00:00:00", "2023:02:29 12:00:00", "2024:13:01 00:00:00", "2024:01:01 24:00:00",
        "2024:01:01 00:60:00", "yesterday", "    :  :     :  :  ", "2024:01:01", "2024:1a:01 00:00:00",
    ])
    func refusesAnImpossibleTime(text: String) {
        #expect(EXIFBlock.time(text, subseconds: nil, offset: nil) == nil)
    }

    @Test(arguments: [("5", 0.5), ("123", 0.123), ("000123456789", 0.000_123_456), ("07 ", 0.07)])
    func readsSubseconds(text: String, fraction: Double) throws {
        let time = try #require(EXIFBlock.time("1970:01:01 00:00:00", subseconds: text, offset: nil))
        #expect(abs(time.localSeconds - fraction) < 0.000_000_01)
        #expect(time.hasSubseconds)
    }

    @Test(arguments: [
        ("+02:00", 7_200), ("-09:30", -34_200), ("+00:00", 0), ("Z", nil), ("+2:00", nil), ("+99:00", nil),
    ])
    func readsTheOffset(text: String, seconds: Int?) {
        #expect(EXIFBlock.time("1970:01:01 00:00:00", subseconds: nil, offset: text)?.offsetFromUTC == seconds)
    }

    @Test func saysTheMakerOnce() {
        #expect(EXIFBlock.camera(maker: "Canon", model: "Canon EOS R6") == "Canon EOS R6")
        #expect(EXIFBlock.camera(maker: "NIKON CORPORATION", model: "NIKON D850") == "NIKON D850")
        #expect(EXIFBlock.camera(maker: "SONY", model: "ILCE-7M4") == "SONY ILCE-7M4")
        #expect(EXIFBlock.camera(maker: nil, model: nil) == nil)
    }
}

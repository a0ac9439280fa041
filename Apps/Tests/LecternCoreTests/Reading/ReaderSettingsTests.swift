import Foundation
import LecternCore
import Testing

@Suite("Settings of the reader")
struct ReaderSettingsTests {
    @Test("Numbers outside of their range are clamped, wherever they come from")
    func clamped() throws {
        var settings = ReaderSettings(fontSize: 4, lineSpacing: .infinity)
        #expect(settings.fontSize == 12 && settings.lineSpacing == 2)
        settings.fontSize = 99
        settings.lineSpacing = .nan
        #expect(settings.fontSize == 32 && settings.lineSpacing == 1.5)
        let json = """
            {"fontSize": -3, "lineSpacing": 7, "theme": "neon", "showsRedLetters": false, "erasures": -2, "new": 1}
            """
        let read = try JSONDecoder().decode(ReaderSettings.self, from: Data(json.utf8))
        #expect(read == ReaderSettings(fontSize: 12, lineSpacing: 2, showsRedLetters: false))
    }

    @Test("Settings are read as they were written")
    func roundTrip() throws {
        let settings = ReaderSettings(
            theme: .sepia, fontSize: 21.5, lineSpacing: 1.25, showsVerseNumbers: false, usesParagraphs: false,
            erasures: 3)
        #expect(try JSONDecoder().decode(ReaderSettings.self, from: JSONEncoder().encode(settings)) == settings)
    }
}

#if os(macOS) || os(Linux)
import Hablare
import Testing

@testable import HablareProviders

/// Tests with the output of eSpeak NG 1.51, Flite 2.2 and hibari-tts 0.2.1.
@Suite struct VoiceListTests {
    private static let espeak = """
        Pty Language       Age/Gender VoiceName          File                 Other Languages
         5  af              --/M      Afrikaans          gmw/af               
         5  cmn             --/M      Chinese_(Mandarin,_latin_as_English) sit/cmn              (zh-cmn 5)(zh 5)
         2  en-gb           --/M      English_(Great_Britain) gmw/en               (en 2)
         2  en-us           --/M      English_(America)  gmw/en-US            (en 3)
         5  xx              --/-      Nobody             art/xx               
         5  yue             --/F      Chinese_(Cantonese) sit/yue              (zh-yue 5)(zh 8)
         5  yue             --/M      Chinese_(Cantonese,_latin_as_Jyutping) sit/yue-Latn-jyutping (zh-yue 5)(zh 8)
        """
    private static let variants = """
        Pty Language       Age/Gender VoiceName          File                 Other Languages
         5  variant         --/M      Adam               !v/adam              
         5  variant         70/F      female3            !v/f3                
        """

    private let list = VoiceList(.espeakNG, listings: [espeak, variants])

    @Test func espeaksVoicesHaveIdLanguageAndGender() {
        #expect(list.voices.map(\.id) == ["af", "cmn", "en-gb", "en-us", "xx", "yue", "sit/yue-Latn-jyutping"])
        #expect(list.voices.map(\.gender) == [.male, .male, .male, .male, nil, .female, .male])
        #expect(list.voices[1].aliases == ["sit/cmn", "zh-cmn", "zh"])
        #expect(list.voices[6].language == "yue")
        #expect(list.variants == ["adam", "f3"])
    }

    @Test(
        "A voice is known by its language, file, other language and variant",
        arguments: [
            "en-us", "EN-US", "gmw/en-US", "en", "zh", "en-us+f3", "en-us+Adam", "sit/yue-Latn-jyutping",
        ])
    func known(voice: String) throws {
        try list.check(voice)
    }

    @Test(
        "An unknown voice is refused with the nearest names",
        arguments: [
            ("en-uss", "Did you mean en-us"), ("en-us+f4", "Did you mean f3?"), ("en-us+", "has no variant"),
            ("+f3", "There is no voice"), ("klingon", "There is af, cmn"), ("", "There is no voice"),
        ])
    func unknown(voice: String, says: String) throws {
        let error = try #require(throws: AIServiceError.self) { try list.check(voice) }
        #expect(error.code == .invalidRequest)
        #expect(error.message.contains(says), "\(error.message)")
    }

    @Test func flitesVoicesAreTheWordsBehindTheColon() {
        let list = VoiceList(.flite, listings: ["Voices available: kal awb_time kal16 awb rms slt new \n"])
        #expect(list.voices.map(\.id) == ["kal", "awb_time", "kal16", "awb", "rms", "slt", "new"])
        #expect(list.voices.map(\.gender).suffix(3) == [.male, .female, nil])
        #expect(list.voices.last?.language == nil)
    }

    @Test func hibarisVoicesAreThoseThatNeedNoDownload() {
        let list = VoiceList(
            .hibari,
            listings: [
                """
                heart    en-US  female American  Kokoro af_heart   in the package
                emma     en-GB  female British   Kokoro bf_emma    downloaded on first use (7.9 MB)
                """
            ])
        #expect(list.voices == [CommandVoice(id: "heart", language: "en-US", gender: .female)])
    }

    @Test("Other text is not taken for voices", arguments: [CommandVoiceSource.espeakNG, .flite, .hibari, .unlisted])
    func noList(source: CommandVoiceSource) {
        #expect(VoiceList(source, listings: ["", "usage"]).voices.isEmpty)
        #expect(VoiceList(source, listings: []).voices.isEmpty)
    }
}
#endif

import Testing

@testable import HablareCommand

@Suite struct KeyWordsTests {
    @Test func `Known words of the command stay, and others are masked`() {
        let message = "Unknown option '--kez'. Unexpected argument 'sk-gorgonzola-1'. See 'hablare keys set --help'."
        #expect(
            KeyWords.hidden(in: message, of: ["keys", "set", "--kez", "sk-gorgonzola-1"])
                == "Unknown option '…'. Unexpected argument '…'. See 'hablare keys set --help'.")
        #expect(
            KeyWords.hidden(in: "The value sk-gorgonzola-1 is odd", of: ["keys", "--x=sk-gorgonzola-1"])
                == "The value … is odd")
        #expect(KeyWords.hidden(in: "'e' is odd: see there", of: ["keys", "e", ""]) == "'…' is odd: see there")
    }

    @Test func `Other commands' words are not masked`() {
        #expect(KeyWords.hidden(in: "'prompt' is odd", of: ["generate", "prompt"]) == "'prompt' is odd")
        #expect(KeyWords.hidden(in: "nothing", of: []) == "nothing")
    }
}

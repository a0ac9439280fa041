import Foundation
import Hablare
import HablareProviders
import Testing

/// G10: values that hold a key never show it.
@Suite struct CredentialSecrecyTests {
    @Test func `Nothing that has a key in it shows more than its beginning and its end`() throws {
        let name = try CredentialName("openai")
        let credential = try Credential.numbered(1)
        let found = FoundCredential(name, credential, in: .memory)
        let memory = MemoryCredentials()
        try memory.set(credential, for: name)
        let environment = EnvironmentCredentials(["OPENAI_API_KEY": credential.key.secret])
        let folder = try KeyFolder()
        let file = FileCredentials(folder.file)
        try file.set(credential, for: name)
        let chain = CredentialChain([environment, memory, file]) { Date() }
        for value in [credential, found, memory, environment, file, chain, [found], ["k": credential]] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(describing: value), String(reflecting: value), dumped] {
                #expect(!text.contains("gorgonzola"), "\(type(of: value))")
            }
        }
        #expect("\(credential)".contains("sk-…0001"))
    }
}

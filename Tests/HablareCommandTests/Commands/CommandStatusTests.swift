import Foundation
import Hablare
import HablareAudio
import HablareSpeech
import Testing

@testable import HablareCommand

@Suite struct CommandStatusTests {
    @Test(
        arguments: [
            (AIServiceError.Code.programMissing, 69), (.providerNotFound, 69), (.invalidRequest, 64),
            (.storageFull, 74),
            (.storageReadOnly, 74), (.storageFailed, 74), (.storageBusy, 75), (.storageUncertain, 75),
            (.storageTooNew, 78),
            (.storageCorrupt, 78),
            (.unknownRequest, 66), (.invalidState, 1), (.contentMissing, 74),
        ] as [(AIServiceError.Code, Int32)])
    func `Engine errors map to exit statuses`(code: AIServiceError.Code, status: Int32) {
        #expect(CommandFailure(AIServiceError(code, "It failed.")).status.rawValue == status)
    }

    @Test(
        arguments: [
            (AudioError.Code.folderMissing, 73), (.notWritable, 73), (.diskFull, 74), (.unsupportedContainer, 64),
            (.damaged, 65), (.busy, 75),
        ] as [(AudioError.Code, Int32)])
    func `Audio errors map to exit statuses`(code: AudioError.Code, status: Int32) {
        #expect(CommandFailure(AudioError(code: code, message: "It failed.")).status.rawValue == status)
    }

    @Test func `Text errors have the exit status for bad input`() {
        #expect(CommandFailure(TextError(code: .binary, message: "It failed.")).status == .badInput)
    }

    @Test func `A message is one line without a type's name`() {
        struct Surprise: Error {}
        let failures = [
            CommandFailure(Surprise()), CommandFailure(CancellationError()),
            CommandFailure(CocoaError(.fileNoSuchFile)),
        ]
        for failure in failures {
            #expect(!failure.message.contains("\n"))
            #expect(!failure.message.contains("Surprise()"))
        }
    }

    @Test func `A store that is gone is not said to keep finished work`() {
        let gone = CommandFailure(
            unworkable: AIServiceError(.storageMissing, "It is gone."), howToContinue: "hablare work")
        #expect(gone.message == "It is gone.")
        let full = CommandFailure(
            unworkable: AIServiceError(.storageFull, "It is full."), howToContinue: "hablare work")
        #expect(full.message == "It is full. Finished work is kept; then hablare work.")
    }

    @Test func `Every exit status is in the documentation`() throws {
        let document = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../docs/exit-codes.md")
        let text = try String(contentsOf: document.standardizedFileURL, encoding: .utf8)
        let all: [CommandStatus] = [
            .success, .incomplete, .usage, .badInput, .inputMissing, .unavailable, .cannotCreate, .inputOutput,
            .temporary,
            .configuration, .interrupted, .brokenPipe, .terminated,
        ]
        for status in all { #expect(text.contains("| \(status.rawValue) |")) }
    }
}

import Foundation
import Hablare
import Testing

@testable import HablareCommand

@Suite struct WaitReasonWordsTests {
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)
    private static let soon = now.addingTimeInterval(12)
    private let time = LocalTime(now: now, zone: .gmt)

    @Test(
        arguments: [
            (.queued(ahead: 3), "queued in a running process, 3 before it"),
            (.queued(ahead: nil), "queued in a running process"),
            (.unclaimed(ahead: 0), "no running process has taken it yet, next in line"),
            (.noProvider, "provider voice is not available here"),
            (.suspended, "this process is suspended in the background; any other process can take it"),
            (.offline, "this process has no network, which voice needs"),
            (
                .backingOff(until: soon),
                "its last attempt failed; backs off until 22:13:32 (in 12 s)"
            ),
            (.backingOff(until: now), "its last attempt failed; the next one is due"),
            (.rateLimited(until: soon), "voice takes no more calls until 22:13:32 (in 12 s)"),
            (.rateLimited(until: now), "voice takes calls again"),
            (.providerFailing(until: soon), "voice keeps failing and gets no calls until 22:13:32 (in 12 s)"),
            (.providerFailing(until: now), "voice kept failing; one call tests whether it works again"),
        ] as [(RequestSnapshot.WaitReason, String)])
    func `Every wait reason is a sentence, even if its date has passed`(
        reason: RequestSnapshot.WaitReason, sentence: String
    ) {
        #expect(reason.sentence(provider: "voice", at: time) == sentence)
    }

    @Test func `A table shows the wait reason and its end`() {
        #expect(
            RequestSnapshot.WaitReason.rateLimited(until: Self.soon).cell(at: time) == "rate-limited until 22:13:32")
        #expect(RequestSnapshot.WaitReason.backingOff(until: Self.now).cell(at: time) == "backing-off")
        #expect(RequestSnapshot.WaitReason.held.cell(at: time) == "held")
    }

    @Test func `Only wait reasons that end by themselves have an end date`() {
        #expect(RequestSnapshot.WaitReason.backingOff(until: Self.soon).until == Self.soon)
        #expect(RequestSnapshot.WaitReason.held.until == nil)
        #expect(RequestSnapshot.WaitReason.queued(ahead: 1).until == nil)
    }
}

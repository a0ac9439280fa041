import Foundation
import HablareTestKit
import LecternTexts
import Testing

@testable import LecternCore

@Suite("Downloads")
struct DownloadsTests {
    private func item(_ number: Int) -> DownloadItem {
        DownloadItem(text: "kjv", chapter: ChapterID(BookID(rawValue: "Ps"), number))
    }

    private let start = Moment(rawValue: 1_767_225_600_000)

    @Test("Wishes have the most urgent reason, and at most ten recent chapters")
    func wishes() {
        let wishes = DownloadWishes(
            asked: [item(1)], next: [item(2), item(1)], plan: [item(3)], recent: (0..<30).map { item($0 / 2 + 3) },
            bookmarks: [item(99), item(2)])
        #expect(wishes.items.map(\.item) == ([1, 2, 3] + Array(4...12) + [99]).map(item))
        #expect(
            wishes.items.map(\.reason) == [.asked, .next, .plan] + Array(repeating: .recent, count: 9) + [.bookmark])
    }

    @Test("A pause stops, a resume continues, and the progress counts")
    func pause() {
        var downloads = Downloads()
        let wishes = DownloadWishes(asked: [1, 2, 3].map(item))
        #expect(downloads.wanted(wishes, now: start) == [.start(item(1)), .start(item(2))])
        downloads.progressed(item(1), made: 3, of: 10)
        #expect(downloads.paused() == [.stop(item(1)), .stop(item(2))])
        #expect(downloads.finished(item(2), now: start) == [])
        #expect(downloads.entries[item(1)]?.made == 3)
        #expect(downloads.resumed(now: start) == [.start(item(1)), .start(item(3))])
        #expect(downloads.progress == Downloads.Progress(complete: 1, all: 3))
        #expect(downloads.restarted(now: start) == [.start(item(1)), .start(item(3))])
    }

    @Test("A failure is tried again after a growing delay, five times in all")
    func retries() throws {
        var downloads = Downloads()
        var now = start
        var effects = downloads.wanted(DownloadWishes(asked: [item(1)]), now: now)
        for attempt in 1...5 {
            #expect(effects == [.start(item(1))], "attempt \(attempt)")
            #expect(downloads.failed(item(1), canRetry: true, now: now) == [])
            guard attempt < 5 else { break }
            let wake = try #require(downloads.wake(after: now))
            #expect(wake == now.adding(seconds: [5, 20, 80, 320][attempt - 1]))
            #expect(downloads.timePassed(now: Moment(rawValue: wake.rawValue - 1)) == [])
            now = wake
            effects = downloads.timePassed(now: now)
        }
        #expect(downloads.progress.failed == 1 && downloads.wake(after: now) == nil)
        #expect(downloads.retried(now: now) == [.start(item(1))])
        #expect(downloads.failed(item(1), canRetry: false, now: now) == [] && downloads.progress.failed == 1)
    }

    @Test("A complete chapter is kept for 30 days after it was wanted last")
    func kept() {
        var downloads = Downloads()
        _ = downloads.wanted(DownloadWishes(recent: [item(1), item(2)]), now: start)
        _ = downloads.finished(item(1), now: start)
        let later = start.adding(seconds: 5 * 86_400)
        _ = downloads.wanted(DownloadWishes(recent: [item(1), item(2)]), now: later)
        #expect(downloads.wanted(DownloadWishes(), now: later) == [.stop(item(2)), .delete(item(2))])
        let end = later.adding(seconds: 30 * 86_400)
        #expect(downloads.wake(after: later) == end)
        #expect(downloads.timePassed(now: Moment(rawValue: end.rawValue - 1)) == [])
        #expect(downloads.timePassed(now: end) == [.delete(item(1))])
        #expect(downloads.entries.isEmpty)
    }

    @Test(
        "Any events in any order keep the rules, against a second bookkeeper", arguments: 1...60 as ClosedRange<UInt64>)
    func random(_ seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        var downloads = Downloads()
        var now = start
        var inFlight: Set<DownloadItem> = []
        var wantedAt: [DownloadItem: Moment] = [:]
        var complete: Set<DownloadItem> = []
        var wished: Set<DownloadItem> = []
        var isPaused = false
        func perform(_ effects: [Downloads.Effect]) {
            for effect in effects {
                switch effect {
                case .start(let item):
                    #expect(inFlight.insert(item).inserted && !isPaused && wished.contains(item), "seed \(seed)")
                    #expect(!complete.contains(item))
                case .stop(let item): #expect(inFlight.remove(item) != nil, "seed \(seed)")
                case .delete(let item):
                    #expect(!inFlight.contains(item) && !wished.contains(item), "seed \(seed)")
                    if complete.remove(item) != nil, let last = wantedAt[item] {
                        #expect(last.adding(seconds: Downloads.kept) <= now, "seed \(seed)")
                    }
                }
            }
            #expect(inFlight.count <= Downloads.mostInFlight)
            #expect(Set(downloads.entries.filter { $0.value.phase == .inFlight }.keys) == inFlight)
        }
        for _ in 0..<300 {
            now = now.adding(seconds: Int64.random(in: 0...400_000, using: &numbers))
            let item = self.item(Int.random(in: 1...8, using: &numbers))
            switch Int.random(in: 0..<8, using: &numbers) {
            case 0, 1:
                let items = (1...8).map(self.item).filter { _ in Bool.random(using: &numbers) }
                wished = Set(items)
                for item in items { wantedAt[item] = now }
                perform(downloads.wanted(DownloadWishes(recent: items.shuffled(using: &numbers)), now: now))
            case 2, 3:
                if downloads.entries[item] != nil { complete.insert(item) }
                inFlight.remove(item)
                perform(downloads.finished(item, now: now))
            case 4:
                inFlight.remove(item)
                perform(downloads.failed(item, canRetry: Bool.random(using: &numbers), now: now))
            case 5:
                isPaused = true
                perform(downloads.paused())
            case 6:
                isPaused = false
                perform(downloads.resumed(now: now))
            default:
                perform(downloads.timePassed(now: now))
                downloads = try JSONDecoder().decode(Downloads.self, from: JSONEncoder().encode(downloads))
            }
        }
    }
}

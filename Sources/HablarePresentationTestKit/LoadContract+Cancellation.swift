import Hablare
import HablarePresentation
import HablareTestKit

extension LoadContract {
    /// The possible endings of a cancelled load: success, another error, or a cancellation.
    private nonisolated static var lateEndings: [Result<String, any Error>] {
        [.success("late"), .failure(InternalError()), .failure(CancellationError())]
    }

    nonisolated static let cancellation: [Rule] = [
        Rule("A load that is cancelled shows neither resource nor error, and that it ended") { bench in
            for policy in LoadPolicy.allCases {
                for late in lateEndings {
                    let (view, loads) = (ViewRecorder(), ScriptedLoads())
                    let driver = bench.driver(view, policy, loads)
                    driver.load()
                    try await bench.begun(1, loads)
                    driver.cancel()
                    loads.answer(1, late)
                    await driver.settled()
                    try require(
                        "what is displayed, \(policy)", view.events,
                        is: [.error(nil), .loading(true), .loading(false)])
                }
            }
        },
        Rule("A load that is cancelled hears of it") { bench in
            let (view, loads) = (ViewRecorder(), ScriptedLoads(listens: true))
            let driver = bench.driver(view, .ignoreWhileLoading, loads)
            driver.load()
            try await bench.begun(1, loads)
            driver.cancel()
            try await bench.until("the load is cancelled") { loads.cancelled == [1] }
            await driver.settled()
        },
        Rule("After a cancellation it loads again at once, and the old load cannot end the new one's") { bench in
            for policy in LoadPolicy.allCases {
                for late in lateEndings {
                    let (view, loads) = (ViewRecorder(), ScriptedLoads())
                    let driver = bench.driver(view, policy, loads)
                    driver.load()
                    try await bench.begun(1, loads)
                    driver.cancel()
                    driver.load()
                    try await bench.begun(2, loads)
                    loads.answer(1, late)
                    for _ in 0..<100 { await Task.yield() }
                    try require("whether it is loading, \(policy)", view.isLoading, is: true)
                    loads.answer(2, "new")
                    await driver.settled()
                    try require("the resources, \(policy)", view.resources, is: ["new"])
                    try require("whether it is loading at the end, \(policy)", view.isLoading, is: false)
                }
            }
        },
        Rule("To cancel where nothing is being loaded shows nothing") { bench in
            let (view, loads) = (ViewRecorder(), ScriptedLoads())
            let driver = bench.driver(view, .cancelPrevious, loads)
            driver.cancel()
            try require("what is displayed", view.events, is: [])
            driver.load()
            loads.answer(1, "one")
            await driver.settled()
            try require("the resources", view.resources, is: ["one"])
        },
    ]

    nonisolated static let lives: [Rule] = [
        Rule("What loads goes with whoever held it: its load is cancelled, and shows nothing any more") { bench in
            let (view, loads) = (ViewRecorder(), ScriptedLoads())
            let sentinel = try await releasedWhileLoading(bench, view, loads)
            try await bench.until("the load is cancelled") { loads.cancelled == [1] }
            loads.answer(1, "late")
            try await bench.until("what the load holds is released") { sentinel.object == nil }
            try require("what is displayed", view.events, is: [.error(nil), .loading(true)])
        },
        Rule("A view is not kept alive, and a resource that comes when it is gone harms nobody") { bench in
            let loads = ScriptedLoads()
            let (driver, view) = try await driverWhoseViewIsGone(bench, loads)
            try require("the view is kept alive", view.object == nil)
            loads.answer(1, "late")
            await driver.settled()
        },
    ]

    private static func releasedWhileLoading(
        _ bench: LoadWorkbench, _ view: ViewRecorder, _ loads: ScriptedLoads
    ) async throws -> WeakReference<Sentinel> {
        let sentinel = Sentinel()
        let driver = bench.make(view, .ignoreWhileLoading) {
            defer { withExtendedLifetime(sentinel) {} }
            return try await loads.load()
        }
        driver.load()
        try await bench.begun(1, loads)
        return WeakReference(sentinel)
    }

    private static func driverWhoseViewIsGone(
        _ bench: LoadWorkbench, _ loads: ScriptedLoads
    ) async throws -> (any LoadDriver, WeakReference<ViewRecorder>) {
        let view = ViewRecorder()
        let driver = bench.driver(view, .ignoreWhileLoading, loads)
        driver.load()
        try await bench.begun(1, loads)
        return (driver, WeakReference(view))
    }
}

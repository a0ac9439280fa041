import Hablare
import HablarePresentation
import HablareTestKit

extension LoadContract {
    nonisolated static let policies: [Rule] = [
        Rule("Under ignoreWhileLoading a load that is under way goes on, and nothing else begins") { bench in
            let (view, loads) = (ViewRecorder(), ScriptedLoads())
            let driver = bench.driver(view, .ignoreWhileLoading, loads)
            driver.load()
            driver.load()
            try await bench.begun(1, loads)
            driver.load()
            try require("what is displayed", view.events, is: [.error(nil), .loading(true)])
            loads.answer(1, "one")
            loads.answer(2, "two")
            await driver.settled()
            try require("how many loads began", loads.count, is: 1)
            try require("the resources", view.resources, is: ["one"])
            driver.load()
            await driver.settled()
            try require("the resources after the next load", view.resources, is: ["one", "two"])
        },
        Rule("Under cancelPrevious an older result never takes the place of a newer one") { bench in
            let (view, loads) = (ViewRecorder(), ScriptedLoads())
            let driver = bench.driver(view, .cancelPrevious, loads)
            driver.load()
            try await bench.begun(1, loads)
            driver.load()
            try await bench.begun(2, loads)
            loads.answer(2, "new")
            try await bench.until("the new resource is displayed") { view.resources.contains("new") }
            loads.answer(1, "old")
            await driver.settled()
            try require("the resources", view.resources, is: ["new"])
            try require("whether it is loading", view.isLoading, is: false)
        },
        Rule("Under cancelPrevious an older load's end is not shown while a newer one is under way") { bench in
            for old in [Result<String, any Error>.success("old"), .failure(InternalError())] {
                let (view, loads) = (ViewRecorder(), ScriptedLoads())
                let driver = bench.driver(view, .cancelPrevious, loads)
                driver.load()
                try await bench.begun(1, loads)
                driver.load()
                try await bench.begun(2, loads)
                loads.answer(1, old)
                // Yields until the old load has had every opportunity to be shown.
                for _ in 0..<100 { await Task.yield() }
                try require("whether it is loading", view.isLoading, is: true)
                loads.answer(2, "new")
                await driver.settled()
                try require("the resources", view.resources, is: ["new"])
                try require("the messages", view.messages.compactMap(\.self), is: [])
            }
        },
        Rule("Under cancelPrevious the older load is cancelled") { bench in
            let (view, loads) = (ViewRecorder(), ScriptedLoads(listens: true))
            let driver = bench.driver(view, .cancelPrevious, loads)
            driver.load()
            try await bench.begun(1, loads)
            driver.load()
            try await bench.until("the older load is cancelled") { loads.cancelled == [1] }
            loads.answer(2, "new")
            await driver.settled()
            try require("the resources", view.resources, is: ["new"])
        },
        Rule("A view that cancels and loads anew when it is told of loading sees one load end and the other begin") {
            bench in
            for policy in LoadPolicy.allCases {
                let (view, loads) = (ViewRecorder(), ScriptedLoads())
                let driver = bench.driver(view, policy, loads)
                view.reaction = { [unowned driver, unowned view] event in
                    guard event == .loading(true) else { return }
                    view.reaction = nil
                    driver.cancel()
                    driver.load()
                }
                driver.load()
                let begun: [ViewRecorder.Event] = [
                    .error(nil), .loading(true), .loading(false), .error(nil), .loading(true),
                ]
                try require("what is displayed at once, \(policy)", view.events, is: begun)
                // The first of these may not even have begun.
                for number in 1...2 { loads.answer(number, "new") }
                await driver.settled()
                try require(
                    "what is displayed, \(policy)", view.events, is: begun + [.resource("new"), .loading(false)])
            }
        },
        Rule("A view that asks for the next load when it is shown something sees it loading") { bench in
            for policy in LoadPolicy.allCases {
                let (view, loads) = (ViewRecorder(), ScriptedLoads())
                let driver = bench.driver(view, policy, loads)
                view.reaction = { [unowned driver] in if $0 == .resource("one") { driver.load() } }
                driver.load()
                loads.answer(1, "one")
                try await bench.begun(2, loads)
                try require("whether it is loading, \(policy)", view.isLoading, is: true)
                loads.answer(2, "two")
                await driver.settled()
                try require("the resources, \(policy)", view.resources, is: ["one", "two"])
                try require("whether it is loading at the end, \(policy)", view.isLoading, is: false)
            }
        },
    ]
}

import Hablare
import HablarePresentation
import HablareTestKit

extension LoadContract {
    nonisolated static let endings: [Rule] = [
        Rule("A load shows that it began, then its resource, then that it ended") { bench in
            for policy in LoadPolicy.allCases {
                let (view, loads) = (ViewRecorder(), ScriptedLoads())
                let driver = bench.driver(view, policy, loads)
                driver.load()
                try require("what is displayed at once", view.events, is: [.error(nil), .loading(true)])
                loads.answer(1, "one")
                await driver.settled()
                try require(
                    "what is displayed, \(policy)", view.events,
                    is: [.error(nil), .loading(true), .resource("one"), .loading(false)])
            }
        },
        Rule("A load that fails shows its message, and the next one takes it away") { bench in
            for policy in LoadPolicy.allCases {
                let (view, loads) = (ViewRecorder(), ScriptedLoads())
                let driver = bench.driver(view, policy, loads)
                driver.load()
                loads.answer(1, .failure(AIServiceError(.connectionFailed, "Look after the cable.")))
                await driver.settled()
                try require(
                    "what is displayed, \(policy)", view.events,
                    is: [.error(nil), .loading(true), .error("Look after the cable."), .loading(false)])
                driver.load()
                try require("the messages at the next load", view.messages.last, is: .some(nil))
                loads.answer(2, "two")
                await driver.settled()
                try require("the resources", view.resources, is: ["two"])
            }
        },
        Rule("A resource is loaded off the main actor") { bench in
            let (view, loads) = (ViewRecorder(), ScriptedLoads())
            let driver = bench.driver(view, .ignoreWhileLoading, loads)
            driver.load()
            loads.answer(1, "one")
            await driver.settled()
            try require("the main actor is kept waiting by a load", !loads.ranOnMainActor)
        },
        Rule("A load that was cancelled elsewhere shows neither resource nor error, and that it ended") { bench in
            let (view, loads) = (ViewRecorder(), ScriptedLoads())
            let driver = bench.driver(view, .ignoreWhileLoading, loads)
            driver.load()
            loads.answer(1, .failure(CancellationError()))
            await driver.settled()
            try require("what is displayed", view.events, is: [.error(nil), .loading(true), .loading(false)])
        },
    ]
}

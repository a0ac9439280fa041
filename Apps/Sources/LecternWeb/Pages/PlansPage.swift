import Foundation
import LecternCore
import LecternTexts

/// The values of the page of plans.
struct PlansPage: Sendable {
    /// The passages of one day.
    struct Portion: Sendable {
        let plan: String
        let number: String
        let links: [PageModel.Link]
        let day: String
        let isDone: Bool
        let doneText: String
        /// The value that the button sends.
        let next: String
    }

    /// A plan.
    struct Plan: Sendable {
        let id: String
        let name: String
        let facts: String
        let streak: String?
        let share: String
        let today: [Portion]
        let overdue: String?
        let coming: [Portion]
        let isComplete: Bool
        let hasToday: Bool
        let textID: String
    }

    /// A template of a plan.
    struct Template: Sendable {
        let value: String
        let title: String
        let note: String
    }

    var plans: [Plan]
    let templates: [Template]
    let hasPlans: Bool
    let hasTexts: Bool

    static let templates = [
        Template(value: "oneYear", title: "The whole text in a year", note: "365 days"),
        Template(value: "newTestament", title: "The New Testament", note: "90 days"),
        Template(value: "psalmsAndProverbs", title: "Psalms and Proverbs", note: "30 days"),
        Template(value: "gospels", title: "The Gospels", note: "40 days"),
    ]
}

extension PlansPage.Plan {
    init(_ plan: ReadingPlan, today: CalendarDay, shape: TextShape?) {
        let formatter = ReferenceFormatter(shape ?? TextShape())
        func portion(_ portion: ReadingPlan.Portion) -> PlansPage.Portion {
            let isDone = plan.done[portion.number] != nil
            return PlansPage.Portion(
                plan: plan.id.uuidString.lowercased(), number: String(portion.number),
                links: portion.references.map {
                    PageModel.Link(href: Addresses.path(of: $0, in: plan.text), text: formatter.text($0))
                },
                day: Wording.day(portion.day, today: today), isDone: isDone,
                doneText: isDone ? "Read" : "Mark as read", next: isDone ? "false" : "true")
        }
        let progress = plan.progress
        id = plan.id.uuidString.lowercased()
        name = plan.name
        textID = plan.text
        let percent = progress.verses.all == 0 ? 0 : progress.verses.done * 100 / progress.verses.all
        facts = "\(progress.portions.done) of \(progress.portions.all) days · \(percent)%"
        share = String(percent)
        let days = plan.streak(on: today)
        streak = days > 1 ? "\(days) days in a row" : nil
        self.today = plan.portions(on: today).map(portion)
        hasToday = !self.today.isEmpty
        let late = plan.overdue(on: today).count
        overdue = late == 0 ? nil : "\(late) \(late == 1 ? "day is" : "days are") behind."
        coming = plan.portions.filter { $0.day > today }.prefix(3).map(portion)
        isComplete = plan.isComplete
    }
}

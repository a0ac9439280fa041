import Foundation
import LecternCore

/// Words for times.
enum Wording {
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// Returns a day, such as `Today` or `28 November 2026`.
    static func day(_ day: CalendarDay, today: CalendarDay) -> String {
        switch day.rawValue - today.rawValue {
        case 0: return "Today"
        case -1: return "Yesterday"
        case 1: return "Tomorrow"
        default:
            let (year, month, number) = day.parts
            return "\(number) \(months[month - 1])" + (year == today.parts.year ? "" : " \(year)")
        }
    }
}

import GRDB

extension PageOrder.Column {
    var reversed: PageOrder.Column { PageOrder.Column(name: name, direction: direction.reversed) }

    var term: SQLOrdering { direction == .ascending ? Column(name).asc : Column(name).desc }
}

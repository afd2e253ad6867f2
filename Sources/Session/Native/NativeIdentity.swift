/// Who the server says we are.
package struct NativeIdentity: Equatable, Sendable {
  package var userID: [UInt8]
  package var userName: [UInt8]?

  package init(userID: [UInt8], userName: [UInt8]?) {
    self.userID = userID
    self.userName = userName
  }
}

/** Why nobody was signed in, in words for the person. */
export class SignInError extends Error {
  override name = "SignInError";
}

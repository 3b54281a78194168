/** The id of a session's n-th sub-agent, whose log lies beside the session's. */
export function agentIdOf(sessionId: string, n: number): string {
  return `${sessionId}-a${n}`;
}

const AGENT = /-a\d+$/;

/** A sub-agent's: it is part of another session. */
export function isAgentId(id: string): boolean {
  return AGENT.test(id);
}

/** The session itself, or a sub-agent below it, however deep. */
export function belongsTo(id: string, sessionId: string): boolean {
  return id === sessionId || (id.startsWith(sessionId) && /^(?:-a\d+)+$/.test(id.slice(sessionId.length)));
}

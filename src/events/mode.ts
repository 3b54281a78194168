/** plan: nothing lands · ask: what would change the folder is asked · auto: only high risk is asked (P1). */
export const MODES = ["plan", "ask", "auto"] as const;

/** The default owner of runs: the tenant of a state folder, mostly alone in its store (P-49). */
export const LOCAL_TENANT = 'local'

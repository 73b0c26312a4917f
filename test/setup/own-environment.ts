/** What `npm test` or `npx vitest` left in the environment is not seen by the commands that tests start: they would answer differently. */
for (const name of Object.keys(process.env)) {
  if (name === 'npm_command' || /^npm_(lifecycle|package)_/u.test(name)) delete process.env[name]
}

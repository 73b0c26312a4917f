/** Changes between light and dark. */
import { useEffect, useState, type ReactElement } from 'react'
import { chooseTheme, shownTheme, type Theme } from './theme.ts'

export function ThemeButton(): ReactElement {
  const [theme, setTheme] = useState<Theme>(shownTheme)
  useEffect(() => {
    const system = window.matchMedia('(prefers-color-scheme: dark)')
    const changed = (): void => setTheme(shownTheme())
    system.addEventListener('change', changed)
    return () => system.removeEventListener('change', changed)
  }, [])
  const other: Theme = theme === 'light' ? 'dark' : 'light'
  const change = (): void => {
    chooseTheme(other)
    setTheme(other)
  }
  return (
    <button type="button" className="small" onClick={change} aria-label={`Use the ${other} theme`}>
      {theme === 'light' ? '☾' : '☀'}
    </button>
  )
}

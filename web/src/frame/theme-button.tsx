/** Light or dark: as the system says, until somebody chooses. */
import { useEffect, useState, type ReactElement } from 'react'

const KEPT = 'keelson.theme'
type Theme = 'light' | 'dark'

export function ThemeButton(): ReactElement {
  const [theme, setTheme] = useState<Theme>(firstTheme)
  useEffect(() => {
    document.documentElement.dataset['theme'] = theme
  }, [theme])
  const other: Theme = theme === 'light' ? 'dark' : 'light'
  const change = (): void => {
    localStorage.setItem(KEPT, other)
    setTheme(other)
  }
  return (
    <button type="button" className="small" onClick={change} aria-label={`Use the ${other} theme`}>
      {theme === 'light' ? '☾' : '☀'}
    </button>
  )
}

function firstTheme(): Theme {
  const kept = localStorage.getItem(KEPT)
  if (kept === 'light' || kept === 'dark') return kept
  return window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

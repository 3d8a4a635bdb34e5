/* theme.js - dark or light, before anything is drawn. */
(() => {
    let kept = null;

    try {
        kept = localStorage.getItem('theme');
    } catch { /* nothing may be kept here */ }
    const dark = kept ? kept === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;

    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
})();

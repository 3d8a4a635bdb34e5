/* theme.js - dark or light, before anything is drawn. */
(() => {
    const kept = localStorage.getItem('theme');
    const dark = kept ? kept === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;

    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
})();

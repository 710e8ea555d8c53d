export default { sanitize: t => t, addHook() {} };
